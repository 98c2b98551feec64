// What the sign says about its own amounts: one bar, and the words for each state.

import { clock } from "./clock.js";
import { localeOf } from "./numbers.js";

const FACE_MS = 4000; // How long amount and fault text each stand, of a link out of service.
const DAY_MS = 24 * 3600 * 1000;

export class Status {
  #page;
  #words;
  #time;
  #dateTime;
  #headline = document.getElementById("headline");
  #reason = document.getElementById("reason");
  #faultTitle = document.getElementById("fault-title");
  #faultReason = document.getElementById("fault-reason");

  constructor(page, words, { language, timeZone }) {
    this.#page = page;
    this.#words = words;
    const clockTime = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...floor(timeZone) };
    const locale = localeOf(language);
    this.#time = new Intl.DateTimeFormat(locale, clockTime);
    this.#dateTime = new Intl.DateTimeFormat(locale, {
      ...clockTime,
      month: "short",
      day: "numeric",
    });
  }

  // `asOf` is when somebody last vouched for the amounts, by the service's clock.
  show({ state, ageMs, asOf, reason, empty, sinceStartMs }) {
    this.#page.dataset.state = state;
    const { text, short } = this.#texts({ state, ageMs, asOf, empty, sinceStartMs });
    set(this.#headline, text);
    this.#headline.dataset.short = short ?? text;
    set(this.#reason, state === "inoperable" ? reason : "");
    set(this.#faultTitle, this.#words.say("out_of_service"));
    set(this.#faultReason, reason);
    const fault = state === "inoperable" && Math.floor(clock.now() / FACE_MS) % 2 === 1;
    this.#page.dataset.face = fault ? "fault" : "amount";
  }

  #texts({ state, ageMs, asOf, empty, sinceStartMs }) {
    const say = (key, values) => this.#words.say(key, values);
    const age = this.#words.age(ageMs === Infinity ? sinceStartMs : ageMs);
    switch (state) {
      case "connecting":
        return { text: sinceStartMs > 10000 ? say("no_amounts", { age }) : say("connecting") };
      case "ageing":
        return { text: say("ageing", { age }) };
      case "stale": {
        if (empty) {
          return { text: say("no_amounts", { age }) };
        }
        return {
          text: say("stale", { age, time: this.#timeText(asOf, ageMs) }),
          short: say("stale_short", { age }),
        };
      }
      case "offline": {
        const time = this.#dateTime.format(asOf);
        return { text: say("offline", { time }), short: say("offline_short", { time }) };
      }
      case "inoperable":
        return { text: say("out_of_service") };
      default:
        return { text: say("live") };
    }
  }

  #timeText(asOf, ageMs) {
    return (ageMs > DAY_MS / 2 ? this.#dateTime : this.#time).format(asOf);
  }
}

// Only where it differs, so that a screen reader hears a change and not every beat.
function set(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// Times are those of the floor, whatever the kiosk's clock is set to.
function floor(timeZone) {
  if (timeZone === "") {
    return {};
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return { timeZone };
  } catch {
    return {}; // A zone that this browser has never heard of.
  }
}
