// What a chart is drawn from: where things are, and their shapes as SVG. Pure but for making elements;
// doubles only say where on the screen something lies.

import { labelText, shortAmount, ticksBetween } from "./chart_scale.js";

const SVG = "http://www.w3.org/2000/svg";
export const MARGIN = { top: 10, right: 12, bottom: 24, left: 58 };

export function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Where a place of the x axis, or a value, lies in a drawing of this size.
export function scaleOf(chart, { width: asked, height }) {
  const { x, series, bands, kind } = chart;
  const width = Math.max(220, asked);
  const inner = {
    width: width - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom,
  };
  const values = [
    ...series.flatMap((each) => each.values),
    ...bands.flatMap((each) => [...each.low, ...each.high]),
  ]
    .filter((value) => value !== null)
    .map(Number);
  if (values.length === 0) {
    values.push(0);
  }
  const bars = kind === "bars";
  let low = Math.min(...values, ...(bars ? [0] : []));
  let high = Math.max(...values, ...(bars ? [0] : []));
  if (low === high) {
    low -= Math.abs(low) / 100 || 1;
    high += Math.abs(high) / 100 || 1;
  }
  const ticks = ticksBetween(low, high, 4);
  low = Math.min(low, ticks[0]);
  high = Math.max(high, ticks.at(-1));
  const numbers = typeof x[0] === "number";
  const [from, to] = numbers ? [x[0], x.at(-1)] : [0, Math.max(1, x.length - (bars ? 0 : 1))];
  const xAt = (place) => (numbers ? x[place] : bars ? place + 0.5 : place);
  const leftOf = (value) => MARGIN.left + ((value - from) / (to - from || 1)) * inner.width;
  return {
    width, inner, ticks, bars, numbers, from, to, leftOf,
    left: (place) => leftOf(xAt(place)),
    top: (value) => MARGIN.top + (1 - (Number(value) - low) / (high - low)) * inner.height,
    floor: MARGIN.top + inner.height,
  };
}

export function grid(chart, scale) {
  const { unit, x } = chart;
  const lines = scale.ticks.flatMap((tick) => {
    const y = scale.top(tick);
    const text = s("text", { class: "tick", x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" });
    text.textContent = shortAmount(tick, unit);
    return [
      s(
        "line",
        {
          class: tick === 0 ? "zero" : "grid",
          x1: MARGIN.left,
          x2: scale.width - MARGIN.right,
          y1: y,
          y2: y,
        },
      ),
      text,
    ];
  });
  const label = (left, words, anchor = "middle") => {
    const text = s(
      "text",
      { class: "tick", x: left, y: scale.floor + 17, "text-anchor": anchor },
    );
    text.textContent = words;
    return text;
  };
  if (scale.numbers) {
    const round = ticksBetween(
      scale.from,
      scale.to,
      Math.max(2, Math.floor(scale.inner.width / 110)),
    );
    const inside = round.filter((tick) => tick >= scale.from && tick <= scale.to);
    return [...lines, ...inside.map((tick) => label(scale.leftOf(tick), labelText(tick)))];
  }
  const every = Math.max(
    1,
    Math.ceil(x.length / Math.max(2, Math.floor(scale.inner.width / 78))),
  );
  const places = [...x.keys()].filter((place) => place % every === 0);
  return [...lines, ...places.map((place) => {
    const anchor =
      place === 0 && !scale.bars
        ? "start"
        : place === x.length - 1
        ? "end"
        : "middle";
    return label(scale.left(place), labelText(x[place], x), anchor);
  })];
}

export function bandShapes(chart, scale) {
  return chart.bands.map((band) => {
    const places = [...band.low.keys()].filter(
      (place) => band.low[place] !== null && band.high[place] !== null,
    );
    const edge = (place, value) => `${scale.left(place)},${scale.top(value)}`;
    const points = [
      ...places.map((place) => edge(place, band.high[place])),
      ...places.toReversed().map((place) => edge(place, band.low[place])),
    ];
    return s("polygon", { class: "band", points: points.join(" ") });
  });
}

export function seriesShapes(chart, scale) {
  const { series, kind, x } = chart;
  if (scale.bars) {
    const wide = Math.max(2, Math.min(34, (scale.inner.width / x.length) * 0.72) / series.length);
    return series.flatMap((each, number) =>
      each.values.flatMap((value, place) => {
        if (value === null) {
          return [];
        }
        const [y, zero] = [scale.top(value), scale.top(0)];
        const left = scale.left(place) - (wide * series.length) / 2 + wide * number;
        return [s("rect", {
          class: `bar-${number}`, x: left, y: Math.min(y, zero), width: wide,
          height: Math.max(1, Math.abs(zero - y)), rx: 1.5,
        })];
      }),
    );
  }
  return series.map((each, number) => {
    let path = "";
    let pen = false;
    each.values.forEach((value, place) => {
      if (value === null) {
        pen = false;
        return;
      }
      const [left, top] = [scale.left(place), scale.top(value)];
      path += !pen ? `M${left},${top}` : kind === "steps" ? `H${left}V${top}` : `L${left},${top}`;
      pen = true;
    });
    return s("path", { class: `line-${number}`, d: path, fill: "none" });
  });
}

export function markShapes(chart, scale) {
  const places = [...new Set(chart.marks.map((mark) => mark.at))];
  return places.map((place) => {
    const left = scale.left(place);
    return s("g", { class: "mark" },
      s("line", { x1: left, x2: left, y1: MARGIN.top + 6, y2: scale.floor }),
      s("circle", { cx: left, cy: MARGIN.top + 4, r: 4 }));
  });
}
