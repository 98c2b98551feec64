// Tells the service what is on the glass: when it has changed, at most once a second, and every few
// seconds anyway, so that the service knows the sign is there.

import { clock } from "./clock.js";

// A little over the second, so that two reports do not arrive within one after network jitter.
const GAP_MS = 1100;
const PRESENCE_MS = 4500;

export class ShowingReport {
  #send;
  #sent = "";
  #sentAt = -Infinity;

  // send(message) answers false while there is no connection to send on.
  constructor(send) {
    this.#send = send;
  }

  // The next connection is told afresh.
  connectionLost() {
    this.#sent = "";
  }

  // On every beat: `glass` is { place, state, meters } as it can be read now, or null.
  beat(glass) {
    const waitedMs = clock.now() - this.#sentAt;
    if (glass === null || waitedMs < GAP_MS) {
      return;
    }
    const { place, state, meters } = glass;
    const message = { type: "showing", seq: place.seq, epoch: place.epoch, state, meters };
    const text = JSON.stringify(message);
    if ((text !== this.#sent || waitedMs >= PRESENCE_MS) && this.#send(message)) {
      this.#sent = text;
      this.#sentAt = clock.now();
    }
  }
}
