// Alarms: what is wrong, since when, and the word of whoever looks after it.

import { post } from "../kit/api.js";
import { ask } from "../kit/dialog.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { clockText } from "../kit/time.js";
import { toast } from "../kit/toast.js";
import { alarmWord } from "./words.js";

export class AlarmList {
  #section;
  #count;
  #list;

  constructor(section, { me }) {
    this.#section = section;
    this.#count = section.querySelector('[data-part="count"]');
    this.#list = new KeyedList(section.querySelector("ul"), {
      key: (alarm) => alarm.alarm,
      make: (alarm) => alarmRow(alarm, me),
    });
  }

  show(alarms) {
    const sorted = alarms.toSorted(
      (a, b) => rank(a) - rank(b) || b.last_at.localeCompare(a.last_at),
    );
    this.#list.show(sorted);
    const fresh = alarms.filter((alarm) => alarm.acknowledged_by === null).length;
    setText(this.#count, fresh > 0 ? `${fresh} new` : "acknowledged");
    setAttribute(this.#count, "data-kind", fresh > 0 ? "bad" : null);
    setAttribute(this.#section, "hidden", alarms.length === 0);
  }
}

// What happened in a moment has no end to tell of.
const MOMENTS = new Set(["implausible_input", "log_in_locked", "account_ended", "table_ahead"]);
// Money may be missing: above everything else until somebody looks after it.
const FIRST = new Set(["link_inoperable", "table_ahead"]);
const ended = (alarm) => alarm.over && !MOMENTS.has(alarm.kind);
const rank = (alarm) =>
  alarm.acknowledged_by !== null ? 3 : ended(alarm) ? 2 : FIRST.has(alarm.kind) ? 0 : 1;

// What can be done about an alarm, beside looking after it: both are a word about a person.
const REMEDIES = {
  account_unconfirmed: {
    act: "confirm_user",
    path: "confirm",
    button: "Confirm…",
    confirm: "Confirm the account",
    question: "Was this account meant to be made or changed like this? Ask whoever did it.",
    done: "Confirmed.",
  },
  log_in_locked: {
    act: "unlock_user",
    path: "unlock",
    button: "Unlock…",
    confirm: "Unlock",
    question: "Are the bad log-ins this person's own? They are forgotten, and may be made again.",
    done: "Unlocked.",
  },
};

function alarmRow(first, me) {
  const may = me.may("acknowledge_alarm");
  const remedy = REMEDIES[first.kind];
  const kind = h("span", { class: "badge" }, alarmWord(first.kind));
  const subject = h("strong", {}, first.subject);
  const message = h("span", { class: "message" });
  const when = h("span", { class: "quiet small" });
  const button = h("button", { type: "button", onclick: () => acknowledge(first) }, "Acknowledge");
  const element = h(
    "li",
    { "data-alarm": first.alarm },
    h("span", { class: "told" }, kind, subject, message, when),
    h(
      "span",
      { class: "steps" },
      remedy !== undefined && me.may(remedy.act)
        ? h("button", { type: "button", onclick: () => remedyAlarm(first, remedy) }, remedy.button)
        : null,
      may ? button : null,
    ),
  );
  const update = (alarm) => {
    const taken = alarm.acknowledged_by !== null;
    setAttribute(kind, "data-kind", taken ? null : ended(alarm) ? "warn" : "bad");
    setText(message, alarm.message);
    setText(when, whenText(alarm));
    setAttribute(button, "hidden", taken);
  };
  return { element, update };
}

function whenText(alarm) {
  const said = [`since ${clockText(alarm.at)}`];
  if (alarm.count > 1) {
    said.push(`${alarm.count} times, last ${clockText(alarm.last_at)}`);
  }
  if (alarm.acknowledged_by !== null) {
    said.push(`${alarm.acknowledged_by} looks after it${alarm.note ? `: ${alarm.note}` : ""}`);
  } else if (ended(alarm)) {
    said.push("over");
  }
  return said.join(" · ");
}

async function remedyAlarm(alarm, remedy) {
  const done = await ask({
    title: `${alarmWord(alarm.kind)}: ${alarm.subject}`,
    body: [h("p", {}, alarm.message), h("p", {}, remedy.question)],
    confirm: remedy.confirm,
    send: () => post(`/v1/users/${encodeURIComponent(alarm.subject)}/${remedy.path}`, {}),
  });
  if (done !== null) {
    const more = " Another supervisor, or finance, must confirm it too.";
    toast(remedy.done + (done.second_needed ? more : ""), { kind: "good" });
  }
}

async function acknowledge(alarm) {
  const done = await ask({
    title: `${alarmWord(alarm.kind)}: ${alarm.subject}`,
    body: [h("p", {}, alarm.message)],
    confirm: "Acknowledge",
    fields: [{ name: "note", label: "Note", hint: "What was found or done.", maxLength: 500 }],
    send: (values) => post(`/v1/alarms/${encodeURIComponent(alarm.alarm)}/acknowledge`, values),
  });
  if (done !== null) {
    toast("Acknowledged.", { kind: "good" });
  }
}
