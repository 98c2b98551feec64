// A figure: an amount that opens the records behind it. A link, so that it can be sent to a colleague.

import { h } from "../kit/dom.js";
import { centsText, countText, exactParts } from "./exact.js";

const LINKED_MAX = 100;
const NAMED_MAX = 3;

// "record 908", "records 451, 620 and 12 more", "records 451 to 950".
export function recordsText({ first, last, only = [] }) {
  if (only.length === 0) {
    return `records ${countText(first)} to ${countText(last)}`;
  }
  const numbers = only.map(countText);
  if (numbers.length === 1) {
    return `record ${numbers[0]}`;
  }
  return numbers.length <= NAMED_MAX
    ? `records ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`
    : `records ${numbers.slice(0, NAMED_MAX - 1).join(", ")} and ${countText(numbers.length - NAMED_MAX + 1)} more`;
}

// amountView("-1234560004", "microcents"): what lies below the cent stands smaller behind it.
export function amountView(value, kind) {
  if (value === null || value === undefined) {
    return h("span", { class: "amount-none" }, "–");
  }
  if (kind === "cents") {
    return h("span", { class: "money" }, centsText(value));
  }
  if (kind !== "microcents") {
    return h("span", { class: "money" }, countText(value));
  }
  const { sign, text, fraction } = exactParts(value);
  const below = fraction === "" ? null : h("small", { class: "fraction" }, fraction);
  return h("span", { class: "money" }, `${sign}${text}`, below);
}

// behind: { link, first, last, only, title, types }; without records it is text. only: the numbers of
// all of them, where they are known one by one.
export function figure(value, kind, { link, first, last, only = [], title, types = [] }) {
  const view = amountView(value, kind);
  if (!first || !last) {
    return view;
  }
  const range = `${first}-${last}`;
  // A link that is sent to somebody has room for so many.
  const records = only.length > 0 && only.length <= LINKED_MAX ? only.join(",") : range;
  const asked = new URLSearchParams({ link, records });
  const attributes = {
    class: "figure",
    href: `/finance?${asked}`,
    "data-records": only.length > 0 ? only.join(",") : range,
    "data-title": title,
    "data-types": types.join(" "),
    title: `${title}: ${recordsText({ first, last, only })}`,
  };
  return h("a", attributes, view);
}
