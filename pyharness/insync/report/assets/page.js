// Draws the figure of the repeat that the reader chooses, in the colours of the page.
"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const place = document.getElementById("figure");
  const tabs = document.getElementById("tabs");
  const median = document.getElementById("median");
  let chosen = Object.keys(figures)[0];

  // Colours in a figure are names of CSS variables, replaced when it is drawn.
  const coloured = (value, style) => {
    if (typeof value === "string" && value.startsWith("--")) {
      return style.getPropertyValue(value).trim();
    }
    if (Array.isArray(value)) return value.map((item) => coloured(item, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, coloured(item, style)]));
  };

  const draw = () => {
    const { data, layout } = coloured(figures[chosen], getComputedStyle(document.documentElement));
    for (const trace of data) {
      if (trace.meta === "median") trace.visible = median.checked;
    }
    Plotly.react(place, data, layout, { displayModeBar: false, responsive: true });
    for (const tab of tabs.children) {
      tab.setAttribute("aria-pressed", String(tab.textContent === chosen));
    }
  };

  for (const name of Object.keys(figures)) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = name;
    tab.addEventListener("click", () => { chosen = name; draw(); });
    tabs.append(tab);
  }
  median.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
