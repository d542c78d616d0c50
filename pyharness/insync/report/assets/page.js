// Unfolds what a link leads to, and makes the large pictures interactive: a read-out at a time, and a zoom.
"use strict";
(() => {
  const unfold = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let each = place; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    if (place) place.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();

  // The lines of a path, as points: it has places (M x y) and steps (l dx dy ...).
  const points = (path) => path.getAttribute("d").split("M").slice(1).flatMap((stretch) => {
    const numbers = stretch.match(/-?\d+/g).map(Number);
    let [x, y] = numbers;
    const found = [[x, y]];
    for (let at = 2; at + 1 < numbers.length; at += 2) found.push([x += numbers[at], y += numbers[at + 1]]);
    return found;
  });

  const written = (ms) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0)) + " ms";

  // The lanes with less than a full ISR; so short a text never moves the picture under the pointer.
  const stateOf = (chart, at) => {
    const lanes = [...chart.querySelectorAll(".lanes g")];
    const found = lanes.flatMap((lane) => {
      const bar = [...lane.querySelectorAll("rect:not(.ground)")].find((each) => {
        const from = Number(each.getAttribute("x"));
        return from <= at && at < from + Number(each.getAttribute("width"));
      });
      if (bar?.classList.contains("full")) return [];
      return [`${lane.dataset.name}: ${bar ? bar.textContent : "not known"}`];
    });
    if (found.length === lanes.length) return found;
    return [...found, `${found.length ? "other lanes" : "every lane"}: all replicas in sync`];
  };

  const latencyOf = (chart, at, near) => {
    const { bottom, top, height } = chart.querySelector(".latency").dataset;
    return [...chart.querySelectorAll(".line")].flatMap((line) => {
      if (getComputedStyle(line).display === "none") return [];
      line.points ??= points(line);
      const [x, y] = line.points.reduce(
        (best, each) => (Math.abs(each[0] - at) < Math.abs(best[0] - at) ? each : best));
      if (Math.abs(x - at) > near) return [];
      return [`${line.dataset.name}: ${written(10 ** (top - (y / height) * (top - bottom)))}`];
    });
  };

  const step = (length) => {
    const round = 10 ** Math.floor(Math.log10(length / 6));
    return round * [1, 2, 5, 10].find((each) => length / (round * each) <= 6);
  };

  for (const full of document.querySelectorAll(".whole")) {
    const length = Number(full.dataset.length);
    const slider = full.querySelector("input");
    let [from, to] = [0, length];
    let at = null;
    const percent = (time) => (100 * (time - from)) / (to - from);

    const read = () => {
      slider.value = String(Math.round(percent(at) * 10));
      slider.setAttribute("aria-valuetext", `${(at / 1000).toFixed(2)} s`);
      for (const chart of full.querySelectorAll(".chart")) {
        const cursor = chart.querySelector(".cursor");
        cursor.hidden = false;
        cursor.style.left = `${percent(at)}%`;
        const now = chart.querySelector(".now");
        now.textContent = `${(at / 1000).toFixed(2)} s: ` +
          [...stateOf(chart, at), ...latencyOf(chart, at, (to - from) / 40)].join(" \u00b7 ");
      }
    };

    const ticks = () => {
      const distance = step((to - from) / 1000) * 1000;
      const found = [];
      for (let time = Math.ceil(from / distance) * distance; time <= to; time += distance) {
        const tick = document.createElement("span");
        tick.textContent = String(Number((time / 1000).toFixed(3)));
        tick.style.left = `${percent(time)}%`;
        found.push(tick);
      }
      return found;
    };

    const show = (first, last) => {
      const wide = Math.min(Math.max(last - first, 20), length);
      from = Math.min(Math.max(first, 0), length - wide);
      to = from + wide;
      for (const svg of full.querySelectorAll(".strip")) {
        svg.setAttribute("viewBox", `${from} 0 ${to - from} ${svg.dataset.height}`);
      }
      for (const mark of full.querySelectorAll("[data-at]")) {
        mark.style.left = `${percent(mark.dataset.at)}%`;
      }
      for (const band of full.querySelectorAll(".band")) {
        const [begin, end] = [Math.max(band.dataset.start, from), Math.min(band.dataset.end, to)];
        band.hidden = begin >= end;
        band.style.left = `${percent(begin)}%`;
        band.style.width = `${percent(end) - percent(begin)}%`;
      }
      for (const row of full.querySelectorAll(".ticks")) row.replaceChildren(...ticks());
      if (at !== null) {
        at = Math.min(Math.max(at, from), to);
        read();
      }
    };

    const actions = {
      in: () => { const middle = at ?? (from + to) / 2; show(middle - (to - from) / 4, middle + (to - from) / 4); },
      out: () => show(from - (to - from) / 2, to + (to - from) / 2),
      back: () => show(from - (to - from) / 2, to - (to - from) / 2),
      on: () => show(from + (to - from) / 2, to + (to - from) / 2),
      all: () => show(0, length),
    };
    for (const button of full.querySelectorAll("button")) {
      button.addEventListener("click", actions[button.dataset.do]);
    }
    slider.addEventListener("input", () => {
      at = from + ((to - from) * slider.value) / 1000;
      read();
    });

    for (const plot of full.querySelectorAll(".plot")) {
      const picked = plot.querySelector(".picked");
      let began = null;
      const time = (event) => {
        const box = plot.getBoundingClientRect();
        return from + (to - from) * Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      };
      plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse") return;
        began = time(event);
        plot.setPointerCapture(event.pointerId);
        event.preventDefault();
      });
      plot.addEventListener("pointermove", (event) => {
        at = time(event);
        read();
        picked.hidden = began === null;
        if (began === null) return;
        picked.style.left = `${percent(Math.min(began, at))}%`;
        picked.style.width = `${Math.abs(percent(at) - percent(began))}%`;
      });
      plot.addEventListener("pointerup", (event) => {
        const [first, last] = [Math.min(began ?? 0, time(event)), Math.max(began ?? 0, time(event))];
        picked.hidden = true;
        if (began !== null && last - first > (to - from) / 100) show(first, last);
        began = null;
      });
    }
    full.querySelector(".tools").hidden = false;
    for (const now of full.querySelectorAll(".now")) {
      now.hidden = false;
      now.textContent = "Point at the picture or move the slider to read it; drag to zoom.";
    }
  }
})();
