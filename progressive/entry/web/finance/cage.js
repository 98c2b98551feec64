// Rack against cage: what tables paid, and what documents say was paid beside what the cage has.

import { h } from "../kit/dom.js";
import { chartView } from "./chart.js";
import { reportTable } from "./report_table.js";

const COLUMNS = [
  "document",
  "table",
  "system_cents",
  "cage_cents",
  "difference_cents",
  "status",
  "explanation",
];
// What agrees comes last: it needs nobody.
const last = (row) => (row.status === "matched" ? 1 : 0);

export function cageView(report, { upload }) {
  const offer =
    upload === null
      ? null
      : h(
        "div",
        { class: "foot-keys" },
        h("button", { type: "button", onclick: upload }, "Cage file…"),
      );
  const charts = (report?.charts ?? []).map((chart) => chartView(chart, { height: 150 }));
  if (report === null || report.rows.length === 0) {
    return [
      ...charts,
      h(
        "p",
        { class: "empty" },
        "Nothing to compare: no payment at the cage, and no file of the cage for this day.",
      ),
      offer,
    ];
  }
  const counts = new Map();
  for (const { status } of report.rows) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const rows = report.rows.toSorted((one, other) => last(one) - last(other));
  const kind = (status) => (
    status === "matched" ? "good" : status === "ours only" && !entered(report) ? null : "bad"
  );
  return [
    h("ul", { class: "counts" }, [...counts].map(([status, count]) =>
      h("li", {}, h("span", { class: "badge", "data-kind": kind(status) }, `${count} ${status}`)))),
    ...charts,
    reportTable({ ...report, rows }, { columns: COLUMNS, caption: "Payments of both sides" }),
    entered(report) ? null : h("p", { class: "empty" }, "No file of the cage for this day."),
    offer,
  ];
}

const entered = (report) => report.rows.some((row) => row.entered_seq !== null);
