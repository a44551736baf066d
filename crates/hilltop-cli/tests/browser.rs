//! The report in a real browser: every plot is drawn, nothing is fetched, and the console stays silent.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::Desk;

const STUDY: &str = r#"
name = "<img src=x onerror=alert(1)> & \"co\""
budget = 40
[parameters]
"a<b>" = { float = [-1, 1] }
rate = { float = [1e-4, 1], log = true }
blades = { int = [3, 12] }
steel = { choice = ["</script><script>alert(2)</script>", "s355", "duplex"] }
grade = { ordered = ["low", "mid", "high"] }
damper = { float = [0, 1], when = "steel == 'duplex'" }
gap = { value = 3.5 }
[outputs]
"cost <b>" = { minimize = true }
stress = { max = 0.9 }
[constraints]
known = ["rate * blades <= 6"]
max_violation = 0.1
"#;

/// Chromium or Chrome; without one this test cannot say anything, and says that.
fn browser() -> String {
    let named = std::env::var("HILLTOP_BROWSER").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let starts = |name: &String| {
        let version = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        version.is_ok_and(|status| status.success())
    };
    named.into_iter().chain(usual).find(starts).expect(
        "no browser: install Debian's chromium (apt-get install chromium) or set HILLTOP_BROWSER to a Chromium or Chrome",
    )
}

/// The page as the browser shows it, and what it wrote to the console.
fn opened(page: &Path) -> (String, Vec<String>) {
    let profile = tempfile::tempdir().unwrap();
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
        "--virtual-time-budget=10000",
        "--dump-dom",
    ];
    let mut command = Command::new(browser());
    command
        .args(flags)
        .arg(format!("--user-data-dir={}", profile.path().display()));
    let output = command.arg(format!("file://{}", page.display())).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let console = log
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_owned)
        .collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), console)
}

/// Checks that every plot of a page is drawn; gives their number.
fn drawn(page: &Path) -> (usize, String) {
    let (dom, console) = opened(page);
    assert_eq!(console, Vec::<String>::new());
    let plots: Vec<&str> = dom.split("<figure>").skip(1).collect();
    for plot in &plots {
        let shown = plot.split("</figure>").next().unwrap();
        let drawing = shown.contains("<svg class=\"main-svg\"") || shown.contains("<canvas");
        assert!(drawing, "not drawn: {}", &shown[..shown.len().min(300)]);
    }
    (plots.len(), dom)
}

/// Tells results of every kind by the line protocol.
fn evaluated(desk: &Desk) {
    let asked = desk.hilltop(&["ask", "study.toml", "-n", "40", "--json"]).json();
    let mut lines = String::new();
    for (k, trial) in asked["trials"].as_array().unwrap().iter().enumerate() {
        let rate = trial["parameters"]["rate"].as_f64().unwrap();
        let result = match k % 10 {
            7 => serde_json::json!({ "trial": trial["trial"], "failed": "<b>mesh</b> & more" }),
            _ => {
                serde_json::json!({ "trial": trial["trial"], "outputs": { "cost <b>": (rate.ln() + 3.0).powi(2), "stress": 0.1 * (k % 11) as f64 } })
            }
        };
        lines.extend([serde_json::json!({ "tell": result }).to_string().as_str(), "\n"]);
    }
    let answers = desk.feed(&["session", "study.toml"], lines).ok();
    assert!(!answers.contains("error"), "{answers}");
}

#[test]
fn a_report_opens_and_draws_every_plot() {
    let desk = Desk::with(STUDY);
    evaluated(&desk);
    desk.hilltop(&["report", "study.toml", "-o", "report.html"]).ok();
    let (plots, dom) = drawn(&desk.path("report.html"));
    // Course, importance and parallel coordinates; shares, violations and map; slices of six parameters; beliefs of those
    // that take part.
    assert!((17..=18).contains(&plots), "{plots}");
    let captioned = |text: &str| dom.contains(&format!("<figcaption>{text}"));
    assert!(captioned("Share of the trials so far") && captioned("stress, at most 0.9: broken 3 of 36 times"));
    assert!(captioned("What became of trials, by "));
    assert!(dom.contains("smallest feasible cost") && dom.contains("<b>33 of 40</b>"));
    // The axis of probabilities stands at the right of every belief, the granted share as a line in the shares.
    assert!(dom.matches("class=\"y2tick\"").count() > 5, "probabilities are drawn");
    assert!(dom.contains("may break limits"));
    assert!(dom.contains("<td>4</td>"), "the failures are counted");
    assert!(!dom.contains("<img src=\"x\"") && !dom.contains("<script>alert") && !dom.contains("<b>mesh"));
    let body = dom.split("<body>").nth(1).unwrap();
    assert!(!body.contains("src=\"http") && !body.contains("href=\"http"));
}

#[test]
fn a_report_of_a_method_without_a_model_and_of_a_table_opens() {
    let desk = Desk::with("budget = 20\nmethod = \"random\"\n[evaluate]\nproblem = \"crash-corner\"\n");
    desk.hilltop(&["run", "study.toml"]).ok();
    desk.hilltop(&["report", "study.toml", "-o", "report.html"]).ok();
    let (plots, dom) = drawn(&desk.path("report.html"));
    assert_eq!(plots, 5 + 2);
    assert!(dom.contains("The method random keeps no model of the objective."));

    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/candidates/study.toml");
    let study = examples.to_str().unwrap();
    desk.hilltop(&["run", study, "--store", "a.db"]).ok();
    desk.hilltop(&["report", study, "--store", "a.db", "-o", "table.html"])
        .ok();
    assert_eq!(drawn(&desk.path("table.html")).0, 11);
}

#[test]
fn the_plots_of_a_benchmark_open() {
    let desk = Desk::new();
    desk.hilltop(&[
        "bench",
        "--methods",
        "sobol,random",
        "--problems",
        "branin,bbob:d2:f1",
        "--seeds",
        "2",
        "--out",
        ".",
    ])
    .ok();
    assert_eq!(drawn(&desk.path("bench.html")).0, 3);
}
