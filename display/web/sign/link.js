// What the service has vouched for: newest durable amounts, their place, and whether the link is in
// service. Pure. It never goes backwards: a place behind the one held is not applied, but for a
// service restored from a copy, and that is believed only once nobody vouches for the old amounts.
// And a word is vouched once: a frame that is only repeated makes no amount younger.

import { comparePlaces } from "./frames.js";

const FRESH_MS = 3000;
const TICKS_MAX = 1024;

// What became of a frame.
export const TAKEN = "taken"; // Applied or confirmed: it vouches for what is held.
export const HEARD = "heard"; // Good, but says nothing about the amounts.
export const REFUSED = "refused"; // From the past, or not for this link.
export const RESTART = "restart"; // Only a snapshot can tell what this one means.

export class Link {
  #id;
  #meters = new Map();
  #ticks = new Set(); // Heard before.
  place = null;
  service = { operable: false, reason: "" };
  nothingKept = false; // A test: nothing of it outlives the service.

  constructor(id) {
    this.#id = id;
  }

  get meters() {
    return [...this.#meters.values()];
  }

  get empty() {
    return this.#meters.size === 0;
  }

  nameOf(id) {
    return this.#meters.get(id)?.name ?? id;
  }

  // Amounts kept from an earlier day of this page. Nobody vouches for them.
  remember({ place, meters }) {
    this.place = place;
    this.#meters = new Map(meters.map((meter) => [meter.id, meter]));
    this.service = { operable: true, reason: "" };
  }

  // `forsaken`: what is held has been stale, nobody has vouched for it. `first`: of its connection;
  // in the middle of one, amounts are vouched for by what follows.
  take(frame, { forsaken, first }) {
    return this[`_${frame.type}`](frame, { forsaken, first });
  }

  _snapshot(frame, { forsaken, first }) {
    if (frame.link !== this.#id) {
      return REFUSED;
    }
    const order = this.place === null ? 1 : comparePlaces(frame, this.place);
    // A standby that cannot follow is out of service, and has older amounts too: no step back for it.
    const knowsBetter = frame.service.operable || frame.meters.length === 0;
    if (order < 0 && !(first && forsaken && frame.ageMs < FRESH_MS && knowsBetter)) {
      return REFUSED;
    }
    this.#meters = new Map(frame.meters.map((meter) => [meter.id, meter]));
    this.service = frame.service;
    this.nothingKept = frame.nothingKept;
    this.#stand(frame);
    return first || order > 0 ? TAKEN : HEARD;
  }

  _update(frame) {
    const order = comparePlaces(frame, this.place);
    if (order < 0) {
      return REFUSED;
    }
    // An amount that has no name here, or one left over from another epoch, needs a snapshot.
    const named = new Set(frame.meters.map((meter) => meter.id));
    const whole =
      frame.epoch === this.place.epoch || [...this.#meters.keys()].every((id) => named.has(id));
    if (this.empty || !whole) {
      return RESTART;
    }
    for (const { id, cents } of frame.meters) {
      const meter = this.#meters.get(id);
      if (meter !== undefined) {
        this.#meters.set(id, { ...meter, cents });
      }
    }
    this.#stand(frame);
    return order > 0 ? TAKEN : HEARD;
  }

  // Never skipped: a win may be overtaken by newer amounts, so within its epoch order is no matter.
  // What the meter begins again with comes in the update beside it: a takeover is not a meter.
  _win(frame) {
    if (frame.epoch === this.place.epoch) {
      return HEARD;
    }
    return frame.epoch < this.place.epoch ? REFUSED : RESTART;
  }

  _state(frame) {
    const reopened = frame.service.operable && !this.service.operable;
    this.service = frame.service;
    return reopened && this.empty ? RESTART : HEARD;
  }

  // A tick vouches for its own place and no other: one ahead of what is held says that an update is
  // on its way or was lost, and it is not for this page to hope for the first.
  _tick(frame) {
    const order = comparePlaces(frame, this.place);
    if (order === 0) {
      return this.#heardBefore(frame) ? REFUSED : TAKEN;
    }
    return order > 0 && frame.epoch !== this.place.epoch ? RESTART : REFUSED;
  }

  #heardBefore({ epoch, seq, at }) {
    const tick = `${epoch} ${seq} ${at}`;
    if (this.#ticks.has(tick)) {
      return true;
    }
    this.#ticks.add(tick);
    if (this.#ticks.size > TICKS_MAX) {
      this.#ticks.delete(this.#ticks.values().next().value);
    }
    return false;
  }

  #stand({ epoch, seq }) {
    this.place = { epoch, seq };
  }
}
