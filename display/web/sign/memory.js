// The last amounts, kept by the page itself for a start without a network. They are shown with
// their time and never as live.

import { isCents } from "../kit/money.js";
import { clock } from "./clock.js";

const SAVE_EVERY_MS = 5000;

export class Memory {
  #key;
  #link;
  #saved = "";
  #savedAt = -Infinity;

  constructor(sign, link) {
    this.#key = `sign ${sign}`;
    this.#link = link;
  }

  // { place, meters, at }, or null. What is damaged or of another link is as good as nothing.
  recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key));
      const sound =
        kept.link === this.#link &&
        [kept.at, kept.place.epoch, kept.place.seq].every(Number.isFinite) &&
        kept.meters.length > 0 &&
        kept.meters.every(({ id, name, cents }) => id && name && isCents(cents));
      return sound ? kept : null;
    } catch {
      return null;
    }
  }

  // On every beat, of amounts that are vouched for; `at` is the service's time.
  beat({ place, meters, at }) {
    const now = clock.now();
    if (now - this.#savedAt < SAVE_EVERY_MS) {
      return;
    }
    this.#savedAt = now;
    const text = JSON.stringify({ link: this.#link, place, meters, at: Math.round(at) });
    if (text !== this.#saved) {
      this.#saved = text;
      try {
        localStorage.setItem(this.#key, text);
      } catch {
        // A full or forbidden store costs the start without a network, nothing else.
      }
    }
  }
}
