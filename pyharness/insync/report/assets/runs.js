// Hides the results that are not of the chosen scenario, version and verdict.
"use strict";
(() => {
  const choices = document.querySelector(".choices");
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  const count = document.getElementById("count");
  const all = count.textContent;
  const show = () => {
    const wanted = [...choices.querySelectorAll("select")].filter((each) => each.value);
    for (const row of rows) {
      row.hidden = wanted.some(
        (each) => !row.dataset[each.dataset.of].split(" ").includes(each.value));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted.length ? `${shown} of ${all}` : all;
  };
  choices.hidden = false;
  choices.addEventListener("change", show);
})();
