// A report as a table, whatever its kind: by what the service says of its columns.

import { h } from "../kit/dom.js";
import { cellText, isNothing } from "./exact.js";
import { amountView, figure } from "./figure.js";

const NUMBERS = new Set(["int", "cents", "microcents", "milli", "ppm", "percent", "seq"]);
const AMOUNTS = new Set(["cents", "microcents"]);

// columns: which of the report's, in this order; left out, all that hold anything.
export function reportTable(report, { columns = null, caption = report.title } = {}) {
  const known = new Map(report.columns.map((column) => [column.id, column]));
  const shown = (
    columns ?? report.columns.map((column) => column.id).filter((id) => isSaid(report, id))
  )
    .map((id) => known.get(id))
    .filter((column) => column !== undefined);
  const css = (column) => (NUMBERS.has(column.kind) ? "number" : null);
  const label = (row) => String(row[shown[0].id] ?? caption);
  const cell = (row, column, at) => {
    const value = row[column.id];
    const off = column.must_be_zero && !isNothing(value);
    const inside =
      AMOUNTS.has(column.kind) && value !== null
        ? figure(value, column.kind, {
            link: report.link, first: row.first_seq, last: row.last_seq, title: `${label(row)}: ${column.title}`,
          })
        : cellText(value, column.kind);
    return at === 0
      ? h("th", { scope: "row" }, inside)
      : h("td", { class: css(column), "data-label": column.title, "data-off": off }, inside);
  };
  const totals = shown.some((column) => column.total)
    ? h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          shown.map((column, at) =>
            at === 0
              ? h("th", { scope: "row" }, "All")
              : h("td", { class: css(column), "data-label": column.title },
                  column.total ? amountView(report.totals[column.id], column.kind) : ""),
          ),
        ),
      )
    : null;
  return h(
    "div",
    { class: "table-scroll pinned", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "data stacks" },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, shown.map((column) =>
        h("th", { scope: "col", class: css(column), title: column.meaning }, column.title)))),
      h(
        "tbody",
        {},
        report.rows.map((row) => h("tr", {}, shown.map((column, at) => cell(row, column, at)))),
      ),
      totals,
    ),
  );
}

const isSaid = (report, id) =>
  id !== "first_seq" && id !== "last_seq" && report.rows.some(
    (row) => row[id] !== null && row[id] !== "",
  );
