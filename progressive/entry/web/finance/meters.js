// Every meter as a sum that can be added up by hand: opening, what moved it, closing, difference.

import { h } from "../kit/dom.js";
import { exactText, isNothing, percentText } from "./exact.js";
import { figure } from "./figure.js";
import { meterName } from "./floor_names.js";
import { PART_NAMES } from "./words.js";

// In the order in which they are added. What is nothing for all parts is left out.
const LINES = [
  ["contributions", "+", "Contributions", ["wagers_registered"]],
  ["void_contra", "−", "Voided rounds", ["round_voided"]],
  ["house_initial", "+", "House, at the start", ["link_opened", "link_reopened", "terms_changed"]],
  ["house_reset", "+", "House, at resets", ["round_settled", "settled_early", "award_voided"]],
  ["reserve_moved", "±", "From reset meter", ["round_settled", "settled_early"]],
  ["overflow_moved", "±", "From overflow", ["round_settled", "settled_early"]],
  ["awards", "−", "Awards", ["round_settled", "settled_early"]],
  ["award_void_back", "+", "Awards voided", ["award_voided"]],
  ["corrections", "±", "Corrections", ["correction_approved"]],
  ["transfers", "±", "Transfers", ["correction_approved"]],
  ["retired", "−", "Retired", ["link_retired"]],
];

const amountOf = (row, name) => row[`${name}_microcents`];

export function metersView(report, { explain }) {
  const { link } = report;
  const meters = [...new Set(report.rows.map((row) => row.meter))];
  const cards = meters.map((meter) =>
    card({
      link,
      title: meterName(link, meter),
      rows: report.rows.filter((row) => row.meter === meter && hasMoney(row)),
      explain: () => explain(meter),
    }),
  );
  const sum = card(
    { link, title: "All meters", rows: [{ ...report.totals, part: null }], total: true },
  );
  return h("div", { class: "sums" }, cards, meters.length > 1 ? sum : null);
}

// A part that never had money is no line of a book.
const hasMoney = (row) =>
  row.part === "primary" ||
  [
    "opening",
    "closing",
    ...LINES.map(([name]) => name),
  ].some((name) => !isNothing(amountOf(row, name)));

function card({ link, title, rows, explain = null, total = false }) {
  const moved = LINES.filter(([name]) => rows.some((row) => !isNothing(amountOf(row, name))));
  const cell = (row, name, types, words) =>
    h("td", { class: "number" }, figure(amountOf(row, name), "microcents", {
      link, first: row.first_seq, last: row.last_seq, types,
      title: `${title}, ${(PART_NAMES[row.part] ?? "").toLowerCase()}: ${words}`,
    }));
  const line = (kind, sign, words, name, types = []) =>
    h(
      "tr",
      { "data-line": kind },
      h(
        "th",
        { scope: "row" },
        h("span", { class: "operator", "aria-hidden": "true" }, sign),
        words,
      ),
      rows.map((row) =>
        kind === "moved" && isNothing(amountOf(row, name))
          ? h("td", { class: "number quiet" }, "–")
          : cell(row, name, types, words.toLowerCase()),
      ),
    );
  const heads = rows.map(
    (row) => h("th", { scope: "col", class: "number" }, PART_NAMES[row.part] ?? "Every part"),
  );
  return h(
    "article",
    { class: "sum", "data-total": total },
    h(
      "header",
      {},
      h("h3", {}, title),
      explain === null
        ? null
        : h(
          "button",
          { type: "button", class: "plain", "aria-label": `Explain ${title}`, onclick: explain },
          "Explain",
        ),
    ),
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, `${title}: from opening to closing`),
      h("thead", {}, h("tr", {}, h("td", {}), heads)),
      h(
        "tbody",
        {},
        line("opening", "", "Opening", "opening"),
        moved.map(([name, sign, words, types]) => line("moved", sign, words, name, types)),
        line("closing", "=", "Closing", "closing"),
      ),
    ),
    ending(rows),
  );
}

function ending(rows) {
  const off = rows.find((row) => !isNothing(row.difference_microcents) || Number(row.breaks) > 0);
  const rate = rows.find((row) => row.bet_effective_ppm);
  const floor = rate?.floor_ppm ? `, at least ${percentText(rate.floor_ppm)}` : "";
  const verdict =
    off === undefined
      ? h("span", { class: "verdict" }, `difference ${exactText(0)} ✓ agrees`)
      : h(
        "span",
        { class: "verdict", "data-off": true },
        `difference ${exactText(off.difference_microcents)}${Number(off.breaks) > 0 ? `, ${off.breaks} breaks` : ""}`,
      );
  const rates = rate
    ? h(
      "span",
      { class: "quiet" },
      `${percentText(rate.effective_ppm)} of wagers; the bet ${percentText(rate.bet_effective_ppm)}${floor}`,
    )
    : null;
  return h("footer", { class: "small" }, verdict, rates);
}
