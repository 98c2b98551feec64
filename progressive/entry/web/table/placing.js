// The bets that are being placed: lights, base wagers and the count of chips, until the lock-out.
// Decides what is missing or wrong; draws nothing, registers nothing.

import { askedSeats, asksBase, baseAt, baseLimits, faultAt, withBase } from "./bases.js";
import { amountOf, tapped, wagersOf } from "./draft.js";

export class Placing {
  #table;
  #memory;
  #changed;
  #chosen = null; // The seat that the dealer has tapped to key its base wager.

  constructor(table, memory, changed) {
    this.#table = table;
    this.#memory = memory;
    this.#changed = changed;
  }

  get #draft() {
    return this.#memory.work.draft;
  }

  get wagers() {
    return wagersOf(this.#draft, this.#table.bets, this.#memory.work.before, this.limits);
  }

  get mayLock() {
    const counted = !this.countsChips || this.#memory.work.counted !== null;
    return this.#table.takesBets && this.fault === null && counted;
  }

  // --- lights ---

  // Answers false where the dealer has to say first how much is bet.
  tap(seat, bet) {
    const amount = amountOf(bet, this.#memory.prefs);
    if (amount === null && this.#draft[seat]?.bets[bet.id] === undefined) {
      return !this.#table.takesBets;
    }
    this.setDraft(tapped(this.#draft, seat, bet, amount));
    return true;
  }

  setDraft(draft) {
    if (this.#table.takesBets) {
      this.#memory.remember({ draft });
      this.#changed();
    }
  }

  // --- base wagers ---

  get asksBases() {
    return this.#table.bets.some(asksBase);
  }

  get limits() {
    return baseLimits(this.#table.state);
  }

  get askedSeats() {
    return askedSeats(this.#draft, this.#table.bets);
  }

  baseAt(seat) {
    return baseAt(this.#draft, seat, this.#memory.work.before, this.limits);
  }

  faultAt(seat) {
    return faultAt(this.#draft, seat, this.#table.bets, this.baseAt(seat), this.limits);
  }

  // Seats without a base wager first: whoever keys from the left must not land on one that is wrong.
  get seatAtFault() {
    const of = (kind) => this.askedSeats.find((seat) => this.faultAt(seat)?.kind === kind);
    return of("missing") ?? of("wrong") ?? null;
  }

  get fault() {
    return this.seatAtFault === null ? null : this.faultAt(this.seatAtFault);
  }

  // Whose base wager the next key is: the seat that was tapped, or the first that has none.
  get keyingSeat() {
    return this.askedSeats.includes(this.#chosen) ? this.#chosen : this.seatAtFault;
  }

  // Whose side bets may be changed: the seat that was tapped, or one that is wrong.
  get chosenSeat() {
    const seat = this.#table.takesBets ? this.keyingSeat : null;
    return seat === null || this.faultAt(seat)?.kind === "missing" ? null : seat;
  }

  // A seat whose base wager is to be keyed; a second tap takes the choice back. Null: none.
  choose(seat) {
    this.#chosen = seat === this.#chosen ? null : seat;
    this.#changed();
  }

  keyBase(seat, cents) {
    this.#chosen = null;
    this.setDraft(withBase(this.#draft, seat, cents));
  }

  // --- the count of chips ---

  get countsChips() {
    return this.#table.bets.some((bet) => bet.meters.length > 0);
  }

  get chipsCounted() {
    return this.countsChips ? this.#memory.work.counted : 0;
  }

  countChips(counted) {
    this.#memory.remember({ counted, mismatch: null });
    this.#changed();
  }

  // The service compares the count with the lights; after a difference the next count is a new one.
  refused({ code, message }) {
    if (code === "CHIP_COUNT_MISMATCH") {
      this.#memory.remember({ counted: null, mismatch: message });
    }
  }
}
