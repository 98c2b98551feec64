// Tells the service which sequence is on the glass: at most once a second, only if changed.

// A little over the second, so that two reports do not arrive within one after network jitter.
const GAP_MS = 1100;

export class ShowingReport {
  #send;
  #seq = null;
  #sentSeq = null;
  #sentAt = -Infinity;
  #timer = 0;

  // send(message) answers false while there is no connection to send on.
  constructor(send) {
    this.#send = send;
  }

  // The next connection is told afresh, though not before its snapshot is on the glass.
  connectionLost() {
    this.#seq = null;
    this.#sentSeq = null;
  }

  shown(seq) {
    this.#seq = seq;
    this.#report();
  }

  #report() {
    if (this.#timer !== 0 || this.#seq === this.#sentSeq) {
      return;
    }
    const waitMs = this.#sentAt + GAP_MS - performance.now();
    if (waitMs > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = 0;
        this.#report();
      }, waitMs);
    } else if (this.#send({ type: "showing", seq: this.#seq })) {
      this.#sentSeq = this.#seq;
      this.#sentAt = performance.now();
    }
  }
}
