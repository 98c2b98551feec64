// The records behind a figure, as they are stored: a list, and each one whole.

import { h } from "../kit/dom.js";
import { dateTimeText } from "../kit/time.js";
import { centsText, countText } from "./exact.js";
import { openDrawer } from "./drawer.js";
import { ask } from "./service.js";
import { meterName } from "./floor_names.js";
import { plainDay } from "./days.js";
import { nameOf, plain, recordWord } from "./words.js";

const PAGE = 200;

// Every figure of the page leads here.
export function recordLinks(linkNow) {
  document.addEventListener("click", (event) => {
    const figure = event.target.closest("a[data-records]");
    if (figure === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) {
      return;
    }
    event.preventDefault();
    const types = figure.dataset.types.split(" ").filter(Boolean);
    const named = recordsNamed(figure.dataset.records);
    showRecords({ ...named, link: linkNow(), title: figure.dataset.title, types });
  });
}

// "451-950" or "451,620,908"; null for anything else.
export function recordsNamed(text) {
  if (/^\d+-\d+$/.test(text ?? "")) {
    const [first, last] = text.split("-").map(Number);
    return { first, last };
  }
  if (/^\d+(,\d+)*$/.test(text ?? "")) {
    const only = text.split(",").map(Number);
    return { first: only[0], last: only.at(-1), only };
  }
  return null;
}

// only: the numbers of the records, where they are not all of the stretch.
export function showRecords({ link, first, last, only = [], title, types = [] }) {
  const list = h("ol", { class: "records" });
  const filters = h("div", { class: "filters", role: "group", "aria-label": "Kinds of records" });
  const more = h("button", { type: "button", hidden: true }, "More records");
  const said = h("p", { class: "quiet small", role: "status" }, "Reading the journal…");
  const drawer = openDrawer({
    title,
    lead: leadOf(first, last, only),
    content: [filters, said, list, more],
  });
  const read = [];
  const chosen = new Set(types);
  let next = first;

  const draw = () => {
    const kinds = [...new Set(read.map((record) => record.event.type))];
    const known = [...chosen].filter((type) => kinds.includes(type));
    const shown = known.length > 0 ? read.filter((record) => chosen.has(record.event.type)) : read;
    filters.replaceChildren(
      ...(
        kinds.length > 1 ? kinds.map((type) => filterKey(type, known.includes(type), toggle)) : []
      ),
    );
    list.replaceChildren(...shown.map((record) => recordRow(record, link)));
    said.textContent =
      next === null
        ? `${countText(shown.length)} of ${countText(read.length)} records`
        : `${countText(shown.length)} of the first ${countText(read.length)} records`;
    more.hidden = next === null;
  };
  const toggle = (type) => {
    (chosen.has(type) ? chosen.delete(type) : chosen.add(type));
    draw();
    filters.querySelector(`[data-type="${type}"]`)?.focus();
  };
  const go = async () => {
    more.disabled = true;
    try {
      const some = only.slice(read.length, read.length + PAGE);
      const asked = only.length > 0
        ? new URLSearchParams({ only: some.join(",") })
        : new URLSearchParams({ from: next, to: last, limit: PAGE });
      const answer = await ask(`/v1/links/${encodeURIComponent(link)}/records?${asked}`);
      read.push(...answer.records);
      next = (only.length > 0 ? only[read.length] : answer.next) ?? null;
      draw();
    } catch (error) {
      said.textContent = error.message;
    }
    more.disabled = false;
  };
  more.addEventListener("click", go);
  go();
  return drawer;
}

function leadOf(first, last, only) {
  if (first === last) {
    return `Record ${countText(first)}`;
  }
  return only.length > 0
    ? `${countText(only.length)} records from ${countText(first)} to ${countText(last)}`
    : `Records ${countText(first)} to ${countText(last)} of the journal`;
}

function filterKey(type, pressed, toggle) {
  const attributes = {
    type: "button", class: "chip", "aria-pressed": String(pressed), "data-type": type,
    onclick: () => toggle(type),
  };
  return h("button", attributes, recordWord(type));
}

function recordRow(record, link) {
  const { event } = record;
  const whole = h("pre", {});
  const details = h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: "seq" }, countText(record.seq)),
      h(
        "span",
        { class: "what" },
        h("strong", {}, recordWord(event.type)),
        " ",
        h("span", {}, about(event, link)),
      ),
      h("time", { class: "quiet small", datetime: record.at }, dateTimeText(record.at)),
    ),
    whole,
  );
  details.addEventListener("toggle", () => {
    whole.textContent = details.open ? JSON.stringify(record, null, 2) : "";
  });
  return h("li", {}, details);
}

// One line: what of an event matters to whoever reconciles.
function about(event, link) {
  const said = [];
  const say = (...texts) => said.push(...texts.filter(Boolean));
  say(event.table, event.round && `round ${event.round}`);
  for (const [bet, chips, coupons] of event.stakes ?? []) {
    say(`${bet} ${centsText(chips)}${coupons ? ` + ${centsText(coupons)} coupons` : ""}`);
  }
  for (const award of event.awards ?? []) {
    say(
      typeof award === "string"
        ? award
        : `${award.award} ${award.meter ? meterName(link, award.meter) : (award.line ?? "")} ${centsText(award.due_cents ?? award.amount_cents ?? 0)}`,
    );
  }
  say(typeof event.award === "string" && event.award, event.correction, event.document);
  say(Number.isSafeInteger(event.cents) && centsText(event.cents));
  say(event.entry?.type && plain(event.entry.type), event.day && plainDay(event.day));
  const people = Array.isArray(event.by) ? event.by : event.by ? [event.by] : [];
  say(people.map(nameOf).join(", "), event.reason && `“${event.reason}”`);
  return said.join(" · ");
}
