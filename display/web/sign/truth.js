// How much the amounts on the glass may be believed. Pure but for the stopwatch it is given.

import { stopwatch } from "./clock.js";

export const AGEING_MS = 3000;
export const STALE_MS = 10000;

export class Truth {
  #startWatch;
  #since = null; // Since the last frame that vouched for what is shown.
  #ageMs = 0; // How old its word already was: a relay that lost the service says so.
  #cached = false;

  constructor(startWatch = stopwatch) {
    this.#startWatch = startWatch;
  }

  // Somebody vouched, so long ago. For amounts that were shown before, the youngest word counts;
  // for new ones (`moved`) only this one.
  word(ageMs, { moved }) {
    if (moved || ageMs < this.ageMs) {
      this.#since = this.#startWatch();
      this.#ageMs = ageMs;
    }
    this.#cached = false;
  }

  // Amounts from the page's own memory are on the glass.
  remembered(ageMs) {
    this.#since = this.#startWatch();
    this.#ageMs = ageMs;
    this.#cached = true;
  }

  get ageMs() {
    return this.#since === null ? Infinity : this.#since() + this.#ageMs;
  }

  get forsaken() {
    return this.#cached || this.ageMs > STALE_MS;
  }

  // Old beats broken: why a link was out of service a minute ago is no news.
  state({ operable }) {
    if (this.#since === null) {
      return "connecting";
    }
    if (this.#cached) {
      return "offline";
    }
    if (this.ageMs > STALE_MS) {
      return "stale";
    }
    if (!operable) {
      return "inoperable";
    }
    return this.ageMs > AGEING_MS ? "ageing" : "live";
  }
}
