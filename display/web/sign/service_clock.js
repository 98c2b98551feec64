// What time it is for the service, told by its frames: a kiosk's own clock may be years off.

import { clock } from "./clock.js";

export class ServiceClock {
  #aheadMs = null;
  #exact = false;

  // A frame that was made just now (`exact`), or one that may have waited in a snapshot: its time
  // has come, and may be long past.
  heard(at, { exact }) {
    if (at === null) {
      return;
    }
    const aheadMs = at - clock.now();
    if (exact && !this.#exact) {
      this.#aheadMs = aheadMs;
      this.#exact = true;
    } else if (this.#aheadMs === null || aheadMs > this.#aheadMs || exact) {
      this.#aheadMs = aheadMs;
    }
  }

  get exact() {
    return this.#exact;
  }

  // A time of the service on this page's steady clock.
  toSteady(at) {
    return at - (this.#aheadMs ?? 0);
  }

  // The service's time now, in milliseconds; the wall's before a frame told better.
  now() {
    return this.#aheadMs === null ? clock.wall() : clock.now() + this.#aheadMs;
  }
}
