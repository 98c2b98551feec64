// The checklist of a day: what the service found, and where people explain, inline, what does not agree
// by itself.

import { h } from "../kit/dom.js";
import { centsText, countText, exactText, isNothing } from "./exact.js";
import { figure } from "./figure.js";
import { momentText, plainDay } from "./days.js";
import { CHECK_STATES, plain } from "./words.js";

// Agree to the microcent or the day stays open: nobody explains them away.
const NO_WORDS = new Set(["meters", "wagers", "wins", "rounds"]);

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const DAYS = /\b\d{4}-\d\d-\d\d\b(?!T)/g;
// Sentences of the service name moments as the journal does.
export const readable = (text) => text.replace(TIMES, momentText).replace(DAYS, plainDay);

// A closed day is as it is, and so is one before the first close: there is nothing to explain.
const canClose = (status) => status.closed === null && status.state !== "outside";

export function checkRow(check, { status, me, steps }) {
  const off = !isNothing(check.difference_microcents);
  const { text, mark } = CHECK_STATES[check.state] ?? { text: check.state, mark: "" };
  const head = [
    h("span", { class: "tick", "aria-hidden": "true" }, mark),
    h(
      "span",
      { class: "name" },
      h("strong", {}, check.title),
      h("span", { class: "visually-hidden" }, `: ${text}`),
      h("span", { class: "quiet small" }, readable(check.detail)),
    ),
    check.difference_microcents === null
      ? ""
      : h("span", { class: "amount", "data-off": off }, exactText(check.difference_microcents)),
  ];
  const attributes = {
    class: "check",
    "data-check": check.check,
    "data-state": check.state,
    "data-off": off,
  };
  if (check.findings.length === 0) {
    return h("li", attributes, h("div", { class: "head" }, head));
  }
  const waits = check.findings.some((finding) => finding.explained === "");
  const open = !NO_WORDS.has(check.check) && waits && canClose(status);
  return h(
    "li",
    attributes,
    h(
      "details",
      { open },
      h("summary", { class: "head" }, head),
      h(
        "ul",
        { class: "findings" },
        check.findings.map((finding) => findingRow(check, finding, { status, me, steps })),
      ),
    ),
  );
}

function findingRow(check, finding, { status, me, steps }) {
  const may = me.may("enter_figures") && canClose(status) && !NO_WORDS.has(check.check);
  const behind =
    finding.first_seq === null
      ? null
      : {
        link: status.link,
        first: finding.first_seq,
        last: finding.last_seq,
        title: finding.what,
      };
  const amount =
    finding.amount_cents === null
      ? null
      : behind === null
      ? centsText(finding.amount_cents)
      : figure(finding.amount_cents, "cents", behind);
  const said = h(
    "p",
    { class: "explanation" },
    finding.explained === "" ? "" : `“${finding.explained}” ${finding.explained_by}`,
  );
  const row = h(
    "li",
    { class: "finding", "data-item": finding.item },
    h(
      "p",
      {},
      h("span", {}, `${readable(plain(finding.what))} `),
      amount,
      amount === null && behind !== null
        ? h("a", recordsLink(behind), ` record ${countText(finding.first_seq)}`)
        : null,
    ),
    finding.explained === "" ? null : said,
  );
  if (may) {
    row.append(explainForm(finding, (text) => steps.explain(check.check, finding.item, text)));
  }
  return row;
}

function recordsLink({ link, first, last, title }) {
  const asked = new URLSearchParams({ link, records: `${first}-${last}` });
  return {
    class: "figure",
    href: `/finance?${asked}`,
    "data-records": `${first}-${last}`,
    "data-title": title,
    "data-types": "",
  };
}

// In its own place: whoever explains sees what they explain.
function explainForm(finding, send) {
  const holder = h("div", { class: "explain-here" });
  const begin = h(
    "button",
    { type: "button", class: "chip" },
    finding.explained === "" ? "Explain…" : "Explain otherwise…",
  );
  const open = () => {
    const field = h(
      "textarea",
      { "aria-label": `Explanation of ${finding.what}`, required: true, maxlength: 500, rows: 2 },
    );
    const problem = h("p", { class: "field-problem", role: "alert" });
    const form = h("form", { novalidate: true }, field, problem,
      h(
        "div",
        { class: "keys" },
        h("button", { type: "submit", class: "primary" }, "Save"),
        h("button", { type: "button", onclick: () => leave() }, "Back"),
      ));
    const leave = () => {
      holder.replaceChildren(begin);
      begin.focus();
    };
    form.addEventListener("keydown", (event) => event.key === "Escape" && leave());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (field.value.trim().length < 3) {
        problem.textContent = "At least 3 characters.";
        field.focus();
        return;
      }
      try {
        await send(field.value.trim());
        holder.replaceChildren();
      } catch (error) {
        problem.textContent = error.message;
      }
    });
    holder.replaceChildren(form);
    field.focus();
  };
  begin.addEventListener("click", open);
  holder.replaceChildren(begin);
  return holder;
}
