// Every report in every format, for a day, a month or a range; and the audit pack of a day.

import { h } from "../kit/dom.js";
import { openDrawer } from "./drawer.js";
import { dayPath, reportPath, ask } from "./service.js";
import { monthText, shortDay } from "./days.js";
import { plain } from "./words.js";

const FORMAT_NAMES = {
  table: "Text", csv: "CSV", json: "JSON", xlsx: "Excel", pdf: "PDF", html: "Print",
  oracle: "Oracle", intacct: "Sage Intacct", quickbooks: "QuickBooks", sap: "SAP", beancount: "Beancount", hledger: "hledger",
};

let kindsKnown = null;

// The kinds of reports that this service makes, asked for once.
export async function reportKinds() {
  kindsKnown ??= (await ask("/v1/reports")).reports.map(
    (kind) => ({ ...kind, report: kind.report ?? kind.kind }),
  );
  return kindsKnown;
}

export async function showReports({ link, day }) {
  const list = h("ul", { class: "reports" });
  const pack = h(
    "a",
    { class: "button", download: true, href: dayPath({ link, day }, "/pack?sample=5&seed=1") },
    "Audit pack of the day",
  );
  const from = h("input", { id: "reports-from", type: "date", value: day });
  const to = h("input", { id: "reports-to", type: "date", value: day });
  const table = h(
    "input",
    {
      id: "reports-table",
      placeholder: "All",
      maxlength: 64,
      autocapitalize: "none",
      spellcheck: "false",
    },
  );
  const range = h("div", { class: "range", hidden: true },
    h("div", { class: "field" }, h("label", { for: "reports-from" }, "From"), from),
    h("div", { class: "field" }, h("label", { for: "reports-to" }, "To"), to));
  const spans = [
    ["day", shortDay(day), () => ({ link, day })],
    ["month", monthText(day), () => ({ link, month: day.slice(0, 7) })],
    ["range", "A range", () => ({ link, from: from.value, to: to.value })],
  ];
  let chosen = spans[0];
  const keys = spans.map((span) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": String(span === chosen),
        onclick: () => choose(span),
      },
      span[1],
    ));
  openDrawer({
    title: "Reports",
    lead: "The same question gives the same figures, in every format.",
    content: [
      h("div", { class: "filters", role: "group", "aria-label": "Which days" }, keys),
      range,
      h(
        "div",
        { class: "field table-choice" },
        h("label", { for: "reports-table" }, "Table"),
        table,
      ),
      list,
      h("p", { class: "foot-keys" }, pack),
    ],
  });
  let kinds = [];
  const choose = (span) => {
    chosen = span;
    keys.forEach((key, at) => key.setAttribute("aria-pressed", String(spans[at] === span)));
    range.hidden = span[0] !== "range";
    draw();
  };
  const draw = () =>
    list.replaceChildren(...kinds.map((kind) => {
      const byTable = kind.by_table ?? kind.columns.some(
        (column) => (column.id ?? column) === "table",
      );
      const asked = { ...chosen[2](), table: byTable ? table.value.trim() : "" };
      return h("li", {}, h(
        "span",
        {},
        h("strong", {}, kind.title),
        kind.clauses ? h("span", { class: "quiet small" }, kind.clauses.join("; ")) : null,
      ),
        h("span", { class: "file-links" }, kind.formats.map((format) =>
          h("a", {
            href: reportPath(kind.report, { ...asked, format }), download: format === "html"
              ? null
              : true,
            target: format === "html"
              ? "_blank"
              : null, "aria-label": `${kind.title}, ${FORMAT_NAMES[format] ?? format}`,
          }, FORMAT_NAMES[format] ?? plain(format)))));
    }));
  for (const input of [from, to, table]) {
    input.addEventListener("input", draw);
  }
  try {
    kinds = await reportKinds();
    draw();
  } catch (error) {
    list.replaceChildren(h("li", { class: "field-problem" }, error.message));
  }
}
