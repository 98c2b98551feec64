// The table as this panel knows it: what the service said, what the dealer has keyed, and the one
// message that is under way. Decides what may be done now; draws nothing.
//
// A message is kept, over reloads too, until it is answered. It says after which of the table's
// messages it comes, so the service does it once or not at all, however often it is sent.

import { newKey } from "../kit/api.js";
import { chipLights, tapped, wagersOf } from "./draft.js";
import { earlySeats, NO_CARDS, seatMessage } from "./hands.js";
import { Supervisor } from "./supervisor.js";

const UNPAID_MAX = 50;

export class Table {
  #memory;
  #send;
  #changed;
  #refused;

  // send(message) answers true if it went out; changed() is called after every change;
  // refused(answer) when the service would not do what was asked.
  constructor(memory, { send, changed, refused }) {
    this.#memory = memory;
    this.#send = send;
    this.#changed = changed;
    this.#refused = refused;
    this.state = null;
    this.you = null;
    this.inContact = false;
    this.lammers = [];
    this.supervisor = new Supervisor(send);
  }

  get work() {
    return this.#memory.work;
  }

  get prefs() {
    return this.#memory.prefs;
  }

  // --- what the service says ---

  hear(message) {
    if (this.supervisor.hear(message)) {
      this.#changed();
      return;
    }
    switch (message.type) {
      case "welcome":
        this.you = message.you;
        return;
      case "state":
        this.#hearState(message);
        break;
      case "meters":
        this.#hearMeters(message);
        break;
      case "done":
      case "signed_on":
      case "refused":
        this.#hearAnswer(message);
        break;
      case "looked":
        this.lammers = message.lammers;
        break;
      default:
    }
    this.#changed();
  }

  lost() {
    this.inContact = false;
    this.supervisor.lost();
    this.#changed();
  }

  #hearState(state) {
    const returned = !this.inContact;
    this.state = state;
    this.inContact = true;
    const { round } = state;
    if (round !== null && round.round !== this.work.round) {
      this.#beginRound(round);
    }
    this.lammers = round?.lammers ?? [];
    this.#noteUnpaid();
    if (returned && this.work.pending !== null) {
      this.#send(this.work.pending);
    }
    this.#look();
  }

  // Whoever locked it: the lights are the round's now.
  #beginRound(round) {
    const early = round.early;
    const seats = (early?.seats ?? []).map(({ seat, cards, hands }) => [seat, { cards, hands }]);
    this.#memory.remember({
      draft: {},
      counted: null,
      before: round.wagers,
      round: round.round,
      dealer: { cards: early?.dealer.cards ?? [], hands: [] },
      seats: Object.fromEntries(seats),
      paidUpTo: this.state.last?.journal_seq ?? this.work.paidUpTo,
    });
  }

  #hearMeters({ meters }) {
    const cents = new Map(meters.map((meter) => [meter.id, meter.cents]));
    const newer = this.state.meters.map((meter) => ({ ...meter, cents: cents.get(meter.id) }));
    this.state = { ...this.state, meters: newer };
  }

  #hearAnswer(answer) {
    if (this.work.pending !== null && answer.id === this.work.pending.id) {
      this.#memory.remember({ pending: null });
    }
    if (answer.type === "refused") {
      this.#refused(answer);
    }
  }

  // --- where things stand ---

  get mode() {
    if (this.state === null) {
      return "connecting";
    }
    if (this.work.pending !== null) {
      return "sending";
    }
    if (this.state.state !== "live") {
      return "inoperable";
    }
    if (this.state.dealer?.name !== this.you?.name) {
      return "elsewhere";
    }
    if (this.state.round !== null) {
      return "locked";
    }
    return this.paying.length > 0 ? "paying" : "betting";
  }

  // Side bets are taken while everything is known to be well, and not a moment longer.
  get takesBets() {
    return this.inContact && this.mode === "betting";
  }

  get mayAct() {
    return this.inContact && this.mode === "locked";
  }

  get bets() {
    return this.state?.bets ?? [];
  }

  get wagers() {
    return this.state?.round?.wagers ?? wagersOf(this.work.draft, this.bets);
  }

  get lights() {
    return chipLights(this.wagers, this.bets);
  }

  get countsChips() {
    return this.bets.some((bet) => bet.meters.length > 0);
  }

  // Nothing lit, nothing to count.
  get chipsCounted() {
    return this.work.counted ?? (this.lights === 0 ? 0 : null);
  }

  get chipsAgree() {
    return !this.countsChips || this.chipsCounted === this.lights;
  }

  get paying() {
    const last = this.state?.last;
    return last && last.journal_seq > this.work.paidUpTo ? last.awards : [];
  }

  // --- what waits for a supervisor ---

  // Hands of earlier rounds, and of the last one once the dealer has gone on to the next.
  get waiting() {
    const last = this.paying.length > 0 ? [] : (this.state.last?.awards ?? []);
    return [...this.state.waiting, ...last.filter((award) => award.step === "hold")];
  }

  get #rackAwards() {
    const { round, last, waiting } = this.state;
    return [...waiting, ...(last?.awards ?? []), ...(round?.early?.awards ?? [])];
  }

  // A supervisor's one tap each: the payouts that wait for nothing else, round by round.
  get roundsToConfirm() {
    const rounds = new Map();
    for (const award of this.#rackAwards.filter((each) => each.awaits_round)) {
      rounds.set(award.round, [...(rounds.get(award.round) ?? []), award]);
    }
    return [...rounds].map(([round, awards]) => ({
      key: `${round} ${awards.map((award) => award.award).join(" ")}`,
      round,
      awards,
    }));
  }

  // Payouts that this panel saw waiting, confirmed after their round was put away.
  get confirmedSince() {
    const { last, confirmed = [] } = this.state;
    const gone = this.paying.length > 0 ? [] : (last?.awards ?? []);
    const paid = gone.filter((award) => award.step === "pay" && award.status === "paid");
    return [...confirmed, ...paid].filter((award) => this.work.unpaid.includes(award.award));
  }

  paidLater(award) {
    this.#memory.remember({ unpaid: this.work.unpaid.filter((each) => each !== award.award) });
    this.#changed();
  }

  // What was still to be confirmed when the dealer went on is told as confirmed later, not before.
  #noteUnpaid() {
    const now = this.waiting.filter((award) => award.awaits_round).map((award) => award.award);
    const unpaid = [...new Set([...this.work.unpaid, ...now])].slice(-UNPAID_MAX);
    if (unpaid.length !== this.work.unpaid.length) {
      this.#memory.remember({ unpaid });
    }
  }

  get wageredSeats() {
    return [...new Set(this.wagers.map((wager) => wager.seat))];
  }

  get keyedSeats() {
    return Object.keys(this.work.seats)
      .map(Number)
      .filter((seat) => this.work.seats[seat].cards.length > 0);
  }

  cardsOf(seat) {
    return seat === "dealer" ? this.work.dealer : (this.work.seats[seat] ?? NO_CARDS);
  }

  // The cards of the round on the felt; they stay until the dealer goes on to the next one.
  cardsShown(seat) {
    const { round, last } = this.state;
    const onFelt = round?.round ?? (this.mode === "paying" ? last.round : null);
    return onFelt !== null && onFelt === this.work.round ? this.cardsOf(seat).cards : [];
  }

  get early() {
    const { round, may_settle_early: may } = this.state;
    return may && round !== null && round.early === null
      ? earlySeats(this.work, round.wagers, this.bets)
      : [];
  }

  // --- what the dealer does ---

  tap(seat, bet) {
    this.setDraft(tapped(this.work.draft, seat, bet, this.prefs));
  }

  setDraft(draft) {
    if (this.takesBets) {
      this.#memory.remember({ draft });
      this.#changed();
    }
  }

  countChips(counted) {
    this.#memory.remember({ counted });
    this.#changed();
  }

  setCards(seat, entry) {
    this.#memory.remember(
      seat === "dealer"
        ? { dealer: entry }
        : { seats: { ...this.work.seats, [seat]: entry } },
    );
    this.#look();
    this.#changed();
  }

  prefer(changes) {
    this.#memory.prefer(changes);
    this.#changed();
  }

  paid() {
    this.#memory.remember({ paidUpTo: this.state.last.journal_seq });
    this.#noteUnpaid();
    this.#changed();
  }

  lock() {
    if (this.takesBets && this.chipsAgree) {
      const counted = this.countsChips ? this.chipsCounted : 0;
      this.#ask({ type: "lock", wagers: this.wagers, chips_counted: counted });
    }
  }

  settle() {
    if (this.mayAct) {
      const seats = this.keyedSeats.map((seat) => seatMessage(seat, this.work.seats[seat]));
      this.#askOfRound({
        type: "settle",
        dealer: { cards: this.work.dealer.cards },
        seats,
        complete: this.prefs.full,
      });
    }
  }

  settleEarly() {
    if (this.mayAct && this.early.length > 0) {
      const dealer = { cards: this.work.dealer.cards };
      this.#askOfRound({ type: "settle", dealer, seats: this.early, complete: false, early: true });
    }
  }

  misdeal(reason) {
    if (this.mayAct) {
      this.#askOfRound({ type: "void", reason });
    }
  }

  signOn() {
    this.#deliver({ type: "sign_on", id: newKey() });
  }

  // The dealer gives the side bets back rather than wait for a lock-out that may never have arrived.
  withdraw() {
    const { pending } = this.work;
    this.#memory.remember({ pending: null, withdrawn: pending?.id ?? null });
    this.#changed();
  }

  get arrivedAfterAll() {
    const { withdrawn } = this.work;
    return withdrawn !== null && (this.state?.round?.round.endsWith(`-${withdrawn}`) ?? false);
  }

  #askOfRound(message) {
    this.#ask({ ...message, round: this.state.round.round });
  }

  #ask(message) {
    this.#deliver({ ...message, id: newKey(), after: this.state.seq });
  }

  #deliver(message) {
    this.#memory.remember({ pending: message });
    this.#send(message);
    this.#changed();
  }

  // Lammers depend on cards that only this panel has seen so far (ARSD 20:18:15:30.07(6)(b)).
  #look() {
    const asked = this.bets.some((bet) => bet.lammers === "after_hand");
    if (asked && this.state?.round && this.keyedSeats.length > 0) {
      const seats = this.keyedSeats.map((seat) => seatMessage(seat, this.work.seats[seat]));
      this.#send({ type: "look", id: newKey(), seats });
    }
  }
}
