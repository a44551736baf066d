//! A page of plots: one HTML file that needs nothing else, neither a network nor a graphics processor.

use std::fmt::Write as _;

use serde_json::Value;

use super::text::escaped;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// A plot: traces and layout as plotly understands them.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, in at most eighty characters.
    pub title: String,
    /// The traces.
    pub data: Value,
    /// The layout; colours of axes and text are the page's.
    pub layout: Value,
    /// The height in pixels.
    pub height: u32,
}

/// A page that grows from top to bottom.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    figures: usize,
}

impl Page {
    /// An empty page under a title, with a line about it.
    pub fn new(title: &str, about: &str) -> Self {
        let body = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(title), escaped(about));
        Self {
            title: title.to_owned(),
            body,
            figures: 0,
        }
    }

    /// Begins a section with a sentence about what is seen.
    pub fn section(&mut self, title: &str, about: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "<h2>{}</h2>\n<p>{}</p>", escaped(title), escaped(about));
    }

    /// Adds a piece of HTML whose texts have been escaped.
    pub fn fragment(&mut self, html: &str) {
        self.body.push_str(html);
        self.body.push('\n');
    }

    /// Adds a plot over the whole width.
    pub fn figure(&mut self, figure: &Figure) {
        let html = self.drawn(figure);
        self.fragment(&html);
    }

    /// Adds small plots side by side.
    pub fn grid(&mut self, figures: &[Figure]) {
        let drawn: String = figures.iter().map(|figure| self.drawn(figure)).collect();
        self.fragment(&format!("<div class=\"grid\">\n{drawn}</div>"));
    }

    fn drawn(&mut self, figure: &Figure) -> String {
        self.figures += 1;
        let described = serde_json::json!({ "data": figure.data, "layout": figure.layout });
        format!(
            "<figure><figcaption>{}</figcaption><div class=\"plot\" id=\"plot-{}\" style=\"height:{}px\"></div>\
             <script type=\"application/json\">{}</script></figure>\n",
            escaped(&figure.title),
            self.figures,
            figure.height,
            inert(&described.to_string())
        )
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let plotter = if self.figures > 0 { plotter() } else { String::new() };
        let script = if self.figures > 0 { SCRIPT } else { "" };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <style>\n{STYLE}</style>\n{plotter}\n</head>\n<body>\n{}<footer>Written by Hilltop {}.</footer>\n\
             <script>\n{script}</script>\n</body>\n</html>\n",
            escaped(&self.title),
            self.body,
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// The plotting script in its element. The crate brings a script for formulas behind it, which nothing here needs and
/// which would make half of the file.
fn plotter() -> String {
    let mut sources = plotly::Plot::offline_js_sources();
    let end = "</script>";
    if let Some(at) = sources.find(end) {
        sources.truncate(at + end.len());
    }
    sources
}

/// JSON in which no tag can begin, whatever its texts say.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_plotting_script_comes_alone() {
        let script = plotter();
        assert!(script.starts_with("<script") && script.ends_with("</script>"));
        assert!(script.contains("plotly.js v") && !script.contains("MathJax.loader"));
        assert!((4_000_000..5_000_000).contains(&script.len()), "{}", script.len());
    }

    #[test]
    fn no_text_of_a_user_becomes_markup() {
        let mut page = Page::new("<img src=x>", "a & b");
        page.section("<script>alert(1)</script>", "\"quoted\"");
        page.figure(&Figure {
            title: "<b>".into(),
            data: json!([{ "name": "</script><script>alert(2)" }]),
            layout: json!({}),
            height: 100,
        });
        let body = page.body.clone();
        assert!(!body.contains("<img") && !body.contains("<script>alert") && !body.contains("<b>"));
        assert_eq!(body.matches("</script>").count(), 1);
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        let mut page = Page::new("title", "about");
        let bare = page.html();
        assert!(!bare.contains("src=") && !bare.contains("http"));
        page.figure(&Figure {
            title: String::new(),
            data: json!([]),
            layout: json!({}),
            height: 100,
        });
        assert!(!page.html().contains("<script src") && !page.html().contains("<link"));
    }
}
