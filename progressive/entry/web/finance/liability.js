// What is owed now, whose money it is, and how it came to this in thirty days.

import { h } from "../kit/dom.js";
import { centsText, counted, isNothing } from "./exact.js";
import { amountView, figure } from "./figure.js";
import { chartView } from "./chart.js";
import { meterName } from "./floor_names.js";
import { reportTable } from "./report_table.js";

export function liabilityView(report) {
  const { totals } = report;
  const fact = (label, value, kind, hint = "", off = false) =>
    h(
      "div",
      { class: "fact" },
      h("dt", {}, label),
      h("dd", { "data-off": off }, amountView(value, kind)),
      hint === "" ? null : h("dd", { class: "quiet small" }, hint),
    );
  const bank = report.rows.find((row) => row.item === "bank") ?? null;
  const rows = report.rows.filter(
    (row) => row !== bank && (row.displayed_microcents !== 0 || !isNothing(row.accrued_microcents)),
  );
  const named = {
    ...report,
    rows: rows.map((row) => ({ ...row, item: meterName(report.link, row.item) })),
  };
  const columns = [
    "item",
    "displayed_microcents",
    "player_microcents",
    "house_microcents",
    "reserve_microcents",
  ];
  for (const more of ["overflow_microcents", "parked_microcents", "pending_cents"]) {
    if (!isNothing(totals[more])) {
      columns.push(more);
    }
  }
  const short = bank !== null && !isNothing(bank.shortfall_cents);
  return [
    h(
      "dl",
      { class: "facts" },
      fact("Accrued by the books", totals.accrued_microcents, "microcents"),
      fact("Memo", totals.memo_microcents, "microcents", "house money on the meters"),
      fact("Awards owed", totals.pending_cents, "cents", counted(totals.pending, "award")),
      fact("Bank required", totals.bank_required_cents, "cents"),
      bank === null
        ? fact("In the bank", null, "cents", "not entered for this day")
        : fact(
          "In the bank",
          bank.bank_entered_cents,
          "cents",
          short ? `short by ${centsText(bank.shortfall_cents)}` : "enough",
          short,
        ),
    ),
    ...report.charts.map((chart) => chartView(chart, { height: 170 })),
    reportTable(named, { columns, caption: "Liability by meter" }),
    ages(report),
    rules(report),
  ];
}

// By which rules the money is divided, as the report prints them.
const RULES = ["Player and house part", "House money on the meters"];

function rules({ notes }) {
  const said = notes.filter((note) => RULES.some((begin) => note.startsWith(begin)));
  return h("div", { class: "rules" }, said.map((note) => h("p", { class: "quiet small" }, note)));
}

function ages(report) {
  const named = [
    [
      "age_0_1_cents",
      "up to 1 day",
    ], ["age_2_7_cents", "2 to 7 days"], ["age_8_30_cents", "8 to 30"],
    ["age_31_90_cents", "31 to 90"], ["age_over_90_cents", "longer"],
  ].filter(([name]) => !isNothing(report.totals[name]));
  const owed = report.rows.find((row) => !isNothing(row.pending_cents)) ?? {};
  return named.length === 0
    ? null
    : h("p", { class: "ages small" }, "Owed since: ", named.map(([name, text]) =>
        h("span", {}, figure(report.totals[name], "cents", {
          link: report.link, first: owed.first_seq, last: owed.last_seq, title: `Awards owed, ${text}`,
        }), ` ${text}`)));
}
