// The charts of a stretch of days: how meters grew, when people played, what the house held, and how
// long hits were apart. Each is drawn from what a report says.

import { h } from "../kit/dom.js";
import { chartView } from "./chart.js";
import { meterName } from "./floor_names.js";

// Meters of very different sizes share no axis: each has its own, with its own hits.
export function growthCharts(report) {
  return report.charts.flatMap((chart) =>
    chart.series.map((series) => ({
      ...chart,
      title: meterName(report.link, series.name),
      series: [{ ...series, name: "On display" }],
      marks: chart.marks
        .filter((mark) => mark.label.startsWith(`${series.name} `))
        .map((mark) => ({ ...mark, label: mark.label.slice(series.name.length + 1) })),
    })),
  );
}

export function pictureGroup(title, note, charts, { empty, height = 190 }) {
  return h(
    "article",
    { class: "picture" },
    h("header", {}, h("h3", {}, title), h("p", { class: "quiet small" }, note)),
    charts.length === 0
      ? h("p", { class: "empty" }, empty)
      : charts.map(
        (chart) => chartView(chart, { height: charts.length > 2 ? 130 : height, heading: "h4" }),
      ),
  );
}

export function holdCharts(report) {
  return report.charts.filter((chart) => !isGaps(chart)).map(
    (chart) => ({ ...chart, title: betTitle(chart.title) }),
  );
}

export function gapCharts(report) {
  return report.charts.filter(isGaps).map((chart) => ({
    ...chart,
    title: meterName(report.link, chart.title.split(":")[0]),
  }));
}

const isGaps = (chart) => chart.title.endsWith("between hits");
const betTitle = (title) => title.split(":")[0];
