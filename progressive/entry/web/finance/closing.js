// The close of a day: what the service found, what people explain, and two people of finance who
// state it. The service decides for itself; this only says what it would refuse.

import { h } from "../kit/dom.js";
import { HoldButton } from "../kit/hold.js";
import { checkRow, readable } from "./checklist.js";
import { countText } from "./exact.js";
import { figure } from "./figure.js";
import { longDay, momentText } from "./days.js";
import { stepsLine } from "./steps_line.js";
import { isMe, nameOf, plain } from "./words.js";

// The preparation that waits for its reviewer, of the close or of a restatement; else null.
export function waitingPreparation({ prepared, closed, restatements }) {
  const stated = restatements.at(-1)?.number ?? closed?.number ?? -1;
  return prepared !== null && prepared.number > stated ? prepared : null;
}

// What stays outside the closes where this day is closed first, in words; null where nothing does.
export function leftBehind({ left_behind: behind, day }) {
  if (behind === null) {
    return null;
  }
  const first = longDay(behind.first_day);
  return behind.days === 1
    ? `1 day before ${longDay(day)} was never closed: ${first}. It stays outside the closes if this day is closed first.`
    : `${countText(behind.days)} days before ${longDay(day)} were never closed, from ${first} on. They stay outside the closes if this day is closed first.`;
}

// steps: prepare(), close(), sendBack(), explain(check, item, text), for those who may.
export function closingView(status, { me, steps }) {
  return [
    signatures(status),
    h(
      "ul",
      { class: "checks" },
      status.checks.map((check) => checkRow(check, { status, me, steps })),
    ),
    keepsOpen(status),
    behindNote(status),
    actions(status, { me, steps }),
    late(status),
  ];
}

function signatures(status) {
  const waiting = waitingPreparation(status);
  const last = status.restatements.at(-1) ?? status.closed;
  const line = (first, second, by) =>
    stepsLine([
      { text: first, by: by[0] ?? null },
      { text: second, by: by[1] ?? null },
    ]);
  const lines = [];
  if (status.closed !== null) {
    lines.push(
      h(
        "div",
        { class: "statement" },
        h(
          "p",
          {},
          `Closed ${momentText(status.closed.at)}, record ${countText(status.closed.seq)}`,
        ),
        line("Prepared", "Reviewed", status.closed.by),
      ),
    );
  }
  for (const again of status.restatements) {
    lines.push(
      h(
        "div",
        { class: "statement" },
        h(
          "p",
          {},
          `Restatement ${again.number}, ${momentText(again.at)}, record ${countText(again.seq)}`,
        ),
        line("Prepared", "Reviewed", again.by),
      ),
    );
  }
  if (waiting !== null) {
    const what = waiting.number > 0 ? `Restatement ${waiting.number} prepared` : "Prepared";
    const note = waiting.note === "" ? null : h("p", { class: "quiet small" }, `“${waiting.note}”`);
    lines.push(
      h(
        "div",
        { class: "statement" },
        h("p", {}, `${what} ${momentText(waiting.at)}`),
        line("Prepared", "Review", waiting.by),
        note,
      ),
    );
  } else if (last === null && status.state !== "outside") {
    lines.push(line("Prepare", "Review", []));
  }
  return lines.length === 0 ? null : h("div", { class: "statements" }, lines);
}

// --- what can be done ----------------------------------------------------------------------------

function keepsOpen(status) {
  if (status.keeps_open.length === 0 || status.closed !== null) {
    return null;
  }
  if (status.state === "outside") {
    return h("p", { class: "behind" }, status.keeps_open.map(readable).join(" "));
  }
  const sentence = (text) => h("li", {}, readable(plain(text)));
  return h(
    "div",
    { class: "keeps" },
    h("h3", {}, "What keeps this day from closing"),
    h("ul", {}, status.keeps_open.map(sentence)),
  );
}

function behindNote(status) {
  const said = leftBehind(status);
  const asked = status.over && (status.keeps_open.length === 0 || status.prepared !== null);
  return said === null || !asked ? null : h("p", { class: "behind" }, said);
}

function actions(status, { me, steps }) {
  const waiting = waitingPreparation(status);
  const keys = [];
  if (waiting !== null) {
    if (waiting.by.some((by) => isMe(by, me))) {
      keys.push(
        h("p", { class: "waits" }, "It waits for a colleague: nobody reviews what they prepared."),
      );
    } else if (me.may("close_day")) {
      const again = waiting.number > 0;
      const hold = new HoldButton(() => steps.close(waiting), { id: "close-day" });
      hold.update({
        label: again ? "State the day again" : "Close the day",
        hint: "Hold. It cannot be undone.",
        enabled: true,
      });
      keys.push(hold.element);
    } else {
      keys.push(h("p", { class: "waits" }, "It waits for another person of finance."));
    }
    if (me.may("close_day")) {
      keys.push(h("button", { type: "button", onclick: () => steps.sendBack() }, "Send back…"));
    }
  } else if (me.may("prepare_day")) {
    if (status.closed !== null && status.keeps_open.length === 0) {
      keys.push(
        h(
          "button",
          { type: "button", class: "primary", onclick: () => steps.prepare() },
          "Prepare a restatement…",
        ),
      );
    } else if (status.closed === null && status.keeps_open.length === 0) {
      keys.push(
        h(
          "button",
          { type: "button", class: "primary", onclick: () => steps.prepare() },
          "Prepare the close…",
        ),
      );
    }
  }
  return keys.length === 0 ? null : h("div", { class: "foot-keys" }, keys);
}

// [seq, what, about, meter, part, microcents]
function late(status) {
  if (status.late.length === 0) {
    return null;
  }
  const rows = status.late.map(([seq, what, about, meter, part, microcents]) =>
    h("li", {}, h("span", {}, `${what} ${about}${meter === null ? "" : `, ${meter} ${part}`} `),
      figure(
        microcents,
        "microcents",
        { link: status.link, first: seq, last: seq, title: `Late ${what} ${about}` },
      )));
  return h("div", { class: "keeps late" }, h("h3", {}, "Booked after the close"), h("ul", {}, rows),
    h(
      "p",
      { class: "quiet small" },
      `It stands in the open day and in the restatement; ${nameOf(status.closed.by.at(-1))}’s close is not changed.`,
    ));
}
