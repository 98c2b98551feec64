// The day in large letters: which it is, from when to when, and that an open one is open.

import { h } from "../kit/dom.js";
import { counted, countText } from "./exact.js";
import { longDay, momentText } from "./days.js";
import { DAY_STATES } from "./words.js";

export function headView(status) {
  const { state, totals } = status;
  const done = state === "closed" || state === "restated";
  const played = totals.last_seq >= totals.first_seq;
  const word = done || state === "outside" ? DAY_STATES[state].text : "Open day";
  const said = {
    running: `Its figures still change. It ends ${momentText(status.ends)}, and can be closed from then on.`,
    open: "It is over. The close says what is still to be done.",
    ready: "It is over, and nothing keeps it from closing.",
    prepared: "One person of finance has prepared it; another one reviews and closes it.",
    closed: "Its figures are stated in the journal and do not change.",
    outside: "It stays outside the closes: a later day was the first one that was closed.",
    restated: "Closed; what was booked late is stated again.",
  }[state];
  const play = played
    ? `${counted(totals.rounds, "round")} · ${counted(totals.wagers, "wager")} · records ${countText(totals.first_seq)} to ${countText(totals.last_seq)}`
    : "no play: the meters stood still";
  return [
    h(
      "div",
      { class: "day-name" },
      h("h2", {}, longDay(status.day)),
      h(
        "p",
        { class: "quiet" },
        `${momentText(status.begins)} to ${momentText(status.ends)} · ${play}`,
      ),
    ),
    h(
      "div",
      { class: "day-state", "data-state": state },
      h("p", { class: "word" }, word),
      h("p", { class: "quiet small" }, said),
    ),
  ];
}
