// How a meter came to its amount: from its last reset to the cent, line by line, with the sum.

import { h, setText } from "../kit/dom.js";
import { openDrawer } from "./drawer.js";
import { centsText, countText, exactText, isNothing, percentText } from "./exact.js";
import { localInput, momentOf, momentText } from "./days.js";
import { figure, recordsText } from "./figure.js";
import { meterName, metersOf } from "./floor_names.js";
import { ask } from "./service.js";

// at: a moment or a record, empty for now.
export function explainMeter({ link, meter = null, ends = null }) {
  const meters = metersOf(link);
  const which = h(
    "select",
    { id: "explain-meter" },
    meters.map((each) => h("option", { value: each.meter }, each.name)),
  );
  which.value = meter ?? meters[0]?.meter ?? "";
  const at = h(
    "input",
    {
      id: "explain-at",
      type: "datetime-local",
      step: 1,
      value: ends === null ? "" : localInput(ends),
    },
  );
  const body = h("div", { "aria-live": "polite" });
  const form = h(
    "form",
    { class: "explain-form", novalidate: true },
    h("div", { class: "field" }, h("label", { for: "explain-meter" }, "Meter"), which),
    h("div", { class: "field" }, h("label", { for: "explain-at" }, "At, empty for now"), at),
    h("button", { type: "submit" }, "Explain"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    load();
  });
  which.addEventListener("change", () => load());
  openDrawer({ title: "How a meter came to its amount", content: [form, body], wide: true });
  load();

  async function load() {
    body.replaceChildren(h("p", { class: "empty" }, "Reading the journal…"));
    const asked = at.value === "" ? "" : `?${new URLSearchParams({ at: momentOf(at.value) })}`;
    try {
      const found = await ask(
        `/v1/links/${encodeURIComponent(link)}/meters/${encodeURIComponent(which.value)}/explain${asked}`,
      );
      body.replaceChildren(...explanation(found));
    } catch (error) {
      const said = h("p", { class: "field-problem", role: "alert" });
      setText(said, error.message);
      body.replaceChildren(said);
    }
  }
}

function explanation(found) {
  const { link } = found;
  const line = (text, detail, amount, kind = null) =>
    h(
      "tr",
      { "data-line": kind },
      h("th", { scope: "row" }, text, detail === "" ? null : h("span", { class: "under" }, detail)),
      h("td", { class: "number" }, amount),
    );
  return [
    h("p", { class: "explained-amount" }, h(
      "span",
      { class: "amount" },
      exactText(found.microcents),
    ),
      h(
        "span",
        { class: "quiet" },
        ` ${meterName(link, found.meter)} after record ${countText(found.seq)}, ${momentText(found.at)}`,
      )),
    h(
      "table",
      { class: "explained" },
      h("caption", { class: "visually-hidden" }, "The sum"),
      h("tbody", {},
        line(
          "Before it",
          `record ${countText(found.from_seq)} is the first of the sum`,
          exactText(found.opening_microcents),
          "opening",
        ),
        found.lines.map((each) =>
          line(titleOf(each), detailOf(each), figure(each.microcents, "microcents", {
            link, first: each.first_seq, last: each.last_seq, only: each.records, title: titleOf(each),
          }))),
        line("Sum", "", exactText(found.sum_microcents), "closing"),
        line("On display", "", exactText(found.microcents)),
      ),
    ),
    h("p", { class: "verdict", "data-off": !isNothing(found.difference_microcents) },
      `difference ${exactText(found.difference_microcents)}${isNothing(found.difference_microcents) ? " ✓ agrees" : ""}`),
  ];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const titleOf = ({ what, table, award }) => [
  capital(what),
  award ?? table,
].filter(Boolean).join(", ");

function detailOf(
  {
    wager_cents: cents, rate_ppm: rate, terms_version: version,
    first_seq: first, last_seq: last, records: only,
  },
) {
  const said = [];
  if (cents !== undefined) {
    said.push(`${centsText(cents)} × ${percentText(rate)}, terms ${version}`);
  }
  if (first) {
    said.push(recordsText({ first, last, only }));
  }
  return said.join(" · ");
}
