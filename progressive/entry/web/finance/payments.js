// Payments of a day: filters above, totals that stay in sight below.

import { h } from "../kit/dom.js";
import { centsText, countText } from "./exact.js";
import { figure } from "./figure.js";
import { meterName } from "./floor_names.js";
import { momentText } from "./days.js";
import { AWARD_STATES } from "./words.js";

const COLUMNS = [
  "Award",
  "Where",
  "Line",
  "State",
  "Amount",
  "Players’",
  "House’s",
  "Paid",
  "Document",
  "Form",
];
const FILTERS = [
  ["", "All"],
  ["owed", "Owed"],
  ["paid", "Paid"],
  ["rack", "Rack"],
  ["void", "Void"],
];
const group = (row) => (
  row.status === "pending" || row.status === "validated" ? "owed" : row.status
);

// Filters stay as they were chosen when the day's figures come again.
const chosen = { group: "", text: "" };

export function paymentsView(report) {
  if (report.rows.length === 0) {
    return h("p", { class: "empty" }, "No award and no payment on this day.");
  }
  const body = h("tbody");
  const foot = h("tr");
  const none = h("p", { class: "empty", hidden: true }, "Nothing like that on this day.");
  const counts = new Map(FILTERS.map(([key]) => [key, 0]));
  for (const row of report.rows) {
    counts.set("", counts.get("") + 1);
    counts.set(group(row), (counts.get(group(row)) ?? 0) + 1);
  }
  const keys = FILTERS.filter(([key]) => counts.get(key) > 0).map(([key, text]) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "data-group": key,
        onclick: () => draw((chosen.group = key)),
      },
      `${text} ${counts.get(key)}`,
    ),
  );
  const search = h("input", {
    type: "search", "aria-label": "Find a payment", placeholder: "Table, document, person…", value: chosen.text,
  });
  search.value = chosen.text;
  search.addEventListener("input", () => draw((chosen.text = search.value)));

  const draw = () => {
    const wanted = chosen.text.trim().toLowerCase();
    if (!counts.get(chosen.group)) {
      chosen.group = "";
    }
    const rows = report.rows.filter(
      (row) =>
        (chosen.group === "" || group(row) === chosen.group) &&
        (
          wanted === "" || Object.values(row).some(
            (cell) => String(cell ?? "").toLowerCase().includes(wanted),
          )
        ),
    );
    for (const key of keys) {
      key.setAttribute("aria-pressed", String(key.dataset.group === chosen.group));
    }
    body.replaceChildren(...rows.map((row) => paymentRow(row, report.link)));
    foot.replaceChildren(...totals(rows, report));
    none.hidden = rows.length > 0;
  };
  draw();
  return [
    h("div", { class: "filters", role: "group", "aria-label": "Which payments" }, keys, search),
    h(
      "div",
      { class: "table-scroll pinned", tabindex: "0", role: "region", "aria-label": "Payments" },
      h(
        "table",
        { class: "data stacks" },
        h("caption", { class: "visually-hidden" }, "Awards and payments of the day"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            COLUMNS.map((name, at) => h("th", { scope: "col", class: isNumber(at) }, name)),
          ),
        ),
        body,
        h("tfoot", {}, foot),
      ),
      none,
    ),
  ];
}

const isNumber = (at) => (at >= 4 && at <= 7 ? "number" : null);

// Cents of the rows in sight; of all of them it is what the report says.
function totals(rows, report) {
  const all = rows.length === report.rows.length;
  const sum = (name) =>
    all ? report.totals[name] : rows.reduce((cents, row) => cents + BigInt(row[name] ?? 0), 0n);
  const cell = (label, value) => h("td", { class: "number", "data-label": label }, value);
  const awards = countText(
    all ? report.totals.awards : rows.reduce((count, row) => count + Number(row.awards), 0),
  );
  return [
    h(
      "th",
      { scope: "row", colspan: "4" },
      all ? `All ${awards} awards` : `${awards} of ${countText(report.totals.awards)} awards`,
    ),
    cell("Awarded", centsText(sum("awarded_cents"))),
    h("td", { class: "gap" }),
    h("td", { class: "gap" }),
    cell("Paid", centsText(sum("paid_cents"))),
    h("td", { class: "number", colspan: "2", "data-label": "Voided" },
      [["voided_cents", "voided"], ["resettled_cents", "re-settled"]]
        .map(([name, word]) => [BigInt(sum(name)), word])
        .filter(([cents]) => cents !== 0n)
        .map(([cents, word]) => `${centsText(cents)} ${word}`)
        .join(", ")),
  ];
}

function paymentRow(row, link) {
  const many = row.award === null;
  const behind = { link, first: row.first_seq, last: row.last_seq };
  const title = many ? `Rack, ${row.table}, ${row.line}` : row.award;
  const amount = many ? row.awarded_cents : row.amount_cents;
  const shown = (value, kind) => figure(value, kind, { ...behind, title });
  const cell = (label, ...value) => h("td", { "data-label": label }, ...value);
  const number = (label, ...value) => h("td", { class: "number", "data-label": label }, ...value);
  const state = h("span", { class: "badge", "data-kind": group(row) === "owed" ? "accent" : null },
    AWARD_STATES[row.status] ?? row.status);
  const people = [row.validator, row.approvers, row.payer].filter(Boolean).join(", ");
  return h(
    "tr",
    { "data-status": row.status },
    h("th", { scope: "row" }, many ? `${countText(row.awards)} at the table` : h(
      "a",
      { href: `/sheet/${encodeURIComponent(row.award)}`, target: "_blank" },
      row.award,
    ),
      row.settled_at ? h("span", { class: "under" }, momentText(row.settled_at)) : null),
    cell("Where", row.seat ? `${row.table}, seat ${row.seat}` : row.table),
    cell("Line", row.meter ? `${meterName(link, row.meter)} ${row.share_percent}%` : `${row.bet}, ${row.line.replaceAll("_", " ")}`,
      row.cards ? h("span", { class: "under" }, row.cards) : null),
    cell("State", state),
    number("Amount", shown(amount, "cents")),
    number(
      "Players’",
      row.player_microcents === null ? "" : shown(row.player_microcents, "microcents"),
    ),
    number(
      "House’s",
      row.house_microcents === null ? "" : shown(row.house_microcents, "microcents"),
    ),
    number("Paid", BigInt(row.paid_cents ?? 0) === 0n ? "" : shown(row.paid_cents, "cents")),
    cell("Document", row.document ?? "", people ? h("span", { class: "under" }, people) : null),
    cell("Form", row.tax_form ?? ""),
  );
}
