"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Axes and text take the colours of the page, so that a plot is readable in the light and in the dark.
  const themed = (layout) => {
    const [ink, soft, line, paper] = ["--ink", "--soft", "--line", "--paper"].map(colour);
    const out = { ...layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { size: 12, color: ink } };
    out.modebar = { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: ink };
    out.hoverlabel = { bgcolor: paper, bordercolor: line, font: { color: ink } };
    for (const key of Object.keys(out).filter((key) => /^[xy]axis\d*$/.test(key))) {
      out[key] = { gridcolor: line, linecolor: line, zerolinecolor: line, automargin: true, ...out[key] };
    }
    return out;
  };

  const draw = () => {
    for (const place of document.querySelectorAll(".plot")) {
      const figure = JSON.parse(place.nextElementSibling.textContent);
      const bar = place.closest(".grid") ? false : "hover";
      const unused = ["lasso2d", "select2d", "zoomIn2d", "zoomOut2d", "pan2d", "autoScale2d"];
      const config = { responsive: true, displaylogo: false, displayModeBar: bar, modeBarButtonsToRemove: unused };
      Plotly.react(place, figure.data, themed(figure.layout), config);
    }
  };
  draw();
  dark.addEventListener("change", draw);
})();
