// Four ties at a glance. Quiet where they hold; red, and only here, where money does not add up.

import { h } from "../kit/dom.js";
import { exactText, isNothing } from "./exact.js";
import { CHECK_STATES } from "./words.js";

const TIES = ["meters", "wagers", "wins", "documents"];

const isOff = (check) => !isNothing(check.difference_microcents);

export function tiesView(checks) {
  return TIES.map((name) => checks.find((check) => check.check === name))
    .filter((check) => check !== undefined)
    .map(tie);
}

function tie(check) {
  const off = isOff(check);
  const broken = check.difference_microcents === null && check.state === "open";
  const amount =
    check.difference_microcents === null
      ? null
      : exactText(check.difference_microcents);
  const verdict = broken || check.state === "none" ? "" : `✓ ${CHECK_STATES[check.state]?.text}`;
  return h(
    "article",
    { class: "tie panel", "data-check": check.check, "data-off": off },
    h("h3", {}, check.title),
    h(
      "p",
      { class: "difference" },
      h(
        "span",
        { class: "amount" },
        amount ?? { open: "Open", none: "None" }[check.state] ?? "No gaps",
      ),
      h("span", { class: "verdict" }, off ? "difference" : verdict),
    ),
    h("p", { class: "quiet small" }, check.detail),
  );
}

// "Balanced, record N", or by how much it is off.
export function balanceOf(status) {
  const off = status.checks.filter(isOff);
  const record = status.totals.last_seq;
  return off.length === 0
    ? { text: "Balanced", record, off: false }
    : { text: `Off by ${exactText(off[0].difference_microcents)}`, record, off: true };
}
