// The general ledger: what would be booked for the day, and its balances beside the meters.

import { h } from "../kit/dom.js";
import { centsText, isNothing } from "./exact.js";
import { figure } from "./figure.js";
import { meterName } from "./floor_names.js";
import { dayAfter, monthText } from "./days.js";
import { reportPath } from "./service.js";
import { PART_NAMES } from "./words.js";

const FILES = [
  ["csv", "CSV"], ["oracle", "Oracle"], ["intacct", "Sage Intacct"], ["quickbooks", "QuickBooks"],
  ["sap", "SAP"], ["beancount", "Beancount"], ["hledger", "hledger"],
];

export function ledgerView(entries, rollforward, { enter }) {
  // A balance of the ledger is of the end of a month.
  const ended = dayAfter(rollforward.to, 1).slice(0, 7) !== rollforward.to.slice(0, 7);
  const booked = h(
    "div",
    {},
    h("h3", {}, "Entries of the day"),
    entries.rows.length === 0
      ? h("p", { class: "empty" }, "Nothing is booked for a day on which no money moved.")
      : entryTable(entries),
    h("p", { class: "file-links small" }, "As a file: ", FILES.map(([format, text]) =>
      h(
        "a",
        {
          href: reportPath("gl", { day: entries.from, link: entries.link, format }),
          download: true,
        },
        text,
      ))),
  );
  const balances = h(
    "div",
    {},
    h("h3", {}, `Balances, ${monthText(rollforward.to)}`),
    balanceTable(rollforward, ended),
    ended
      ? null
      : h(
        "p",
        { class: "quiet small note" },
        "The ledger’s balances are entered once the month is over.",
      ),
    enter === null || !ended
      ? null
      : h(
        "div",
        { class: "foot-keys" },
        h("button", { type: "button", onclick: enter }, "Ledger balance…"),
      ),
  );
  return [booked, balances];
}

function entryTable(report) {
  const rows = report.rows.map((row) => {
    const behind = {
      link: report.link,
      first: row.first_seq,
      last: row.last_seq,
      title: `${row.account} ${row.account_name}`,
    };
    const side = (label, cents) =>
      h(
        "td",
        { class: "number", "data-label": label },
        isNothing(cents) ? "" : figure(cents, "cents", behind),
      );
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, `${row.account} `, h(
        "span",
        { class: "account" },
        row.account_name.replaceAll(":", ":\u200b"),
      ),
        h(
          "span",
          { class: "under" },
          [row.memo, row.meter && meterName(report.link, row.meter)].filter(Boolean).join(" · "),
        )),
      side("Debit", row.debit_cents),
      side("Credit", row.credit_cents),
    );
  });
  return h(
    "div",
    {
      class: "table-scroll pinned",
      tabindex: "0",
      role: "region",
      "aria-label": "Entries for the general ledger",
    },
    h(
      "table",
      { class: "data" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Account"),
          h("th", { scope: "col", class: "number" }, "Debit"),
          h("th", { scope: "col", class: "number" }, "Credit"),
        ),
      ),
      h("tbody", {}, rows),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Both sides"),
        h("td", { class: "number" }, centsText(report.totals.debit_cents)), h(
          "td",
          { class: "number" },
          centsText(report.totals.credit_cents),
        ))),
    ),
  );
}

function balanceTable(report, ended) {
  const rows = report.rows.filter(
    (row) => row.part === "primary" || !isNothing(row.closing_cents) || row.gl_cents !== null,
  );
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "Meters beside the ledger",
    },
    h(
      "table",
      { class: "data" },
      h("thead", {}, h("tr", {}, [
        "Meter",
        "Opening",
        "Closing",
        ...(ended ? ["Ledger", "Difference"] : []),
      ].map((text, at) =>
        h("th", { scope: "col", class: at > 0 ? "number" : null }, text)))),
      h("tbody", {}, rows.map((row) => {
        const off = row.difference_cents !== null && !isNothing(row.difference_cents);
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, meterName(report.link, row.meter),
            h(
              "span",
              { class: "under" },
              `${PART_NAMES[row.part].toLowerCase()}, account ${row.account}`,
            ),
            row.explanation ? h("span", { class: "under" }, `“${row.explanation}”`) : null),
          h("td", { class: "number" }, centsText(row.opening_cents)),
          h("td", { class: "number" }, figure(row.closing_cents, "cents", {
            link: report.link, first: row.first_seq, last: row.last_seq, title: `${meterName(report.link, row.meter)}: month`,
          })),
          ended
            ? h(
              "td",
              { class: "number" },
              row.gl_cents === null
                ? h("span", { class: "quiet" }, "not entered")
                : centsText(row.gl_cents),
            )
            : null,
          ended
            ? h(
              "td",
              { class: "number", "data-off": off },
              row.difference_cents === null ? "–" : centsText(row.difference_cents),
            )
            : null,
        );
      })),
    ),
  );
}
