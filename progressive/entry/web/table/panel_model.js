// The table as this panel knows it: what the service said, what the dealer has keyed, and the one
// message that is under way. Decides what may be done now; draws nothing.
//
// A message is kept, over reloads too, until it is answered. It says after which of the table's
// messages it comes, so the service does it once or not at all, however often it is sent.

import { newKey } from "../kit/api.js";
import { earlySeats, isPeek, NO_CARDS, seatMessage } from "./hands.js";
import { Payouts } from "./payouts.js";
import { Placing } from "./placing.js";
import { answered, openQuestion, seatMessages } from "./questions.js";
import { Supervisor } from "./supervisor.js";

export class Table {
  #memory;
  #send;
  #changed;
  #refused;
  #lookId = null;

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
    this.placing = new Placing(this, memory, changed);
    this.payouts = new Payouts(this, memory, changed);
    this.guide = null; // Where a settlement by the dealer's hand stands, as the service sees it.
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
        if (message.id === this.#lookId) {
          this.lammers = message.lammers;
          this.guide = message.guide;
        }
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
    if (round === null) {
      this.guide = null;
    }
    this.payouts.note();
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
      mismatch: null,
      before: round.wagers,
      round: round.round,
      dealer: { cards: early?.dealer.cards ?? [], hands: [] },
      seats: Object.fromEntries(seats),
      answers: {},
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
      this.placing.refused(answer);
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
    return this.state.round?.wagers ?? this.placing.wagers;
  }

  get paying() {
    const last = this.state?.last;
    return last && last.journal_seq > this.work.paidUpTo ? last.awards : [];
  }

  get wageredSeats() {
    return [...new Set(this.wagers.map((wager) => wager.seat))];
  }

  get keyedSeats() {
    return Object.keys(this.work.seats)
      .map(Number)
      .filter((seat) => this.work.seats[seat].cards.length > 0);
  }

  // The keyed seats that can have won. Cards may also be keyed for a lammer or for a question: where
  // the dealer stands they claim nothing for a bet that the dealer's hand decides.
  get claimingSeats() {
    if (this.prefs.full || this.guide?.hand !== "stands") {
      return this.keyedSeats;
    }
    const own = new Set(this.bets.filter((bet) => !bet.dealer_decides).map((bet) => bet.id));
    const claiming = new Set(this.wagers.filter((wager) => own.has(wager.bet)).map(({ seat }) => seat));
    return this.keyedSeats.filter((seat) => claiming.has(seat));
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
    return this.earlyDue ? earlySeats(this.work, this.state.round.early_seats) : [];
  }

  // Whether two-card awards are to be asked for before anybody looks at the hole card.
  get earlyDue() {
    const { round } = this.state;
    return round !== null && round.early === null && round.early_seats.length > 0;
  }

  get isPeek() {
    return isPeek(this.work.dealer);
  }

  get dealerDecides() {
    return this.state?.round?.dealer_decides ?? false;
  }

  // The first thing that a seat must still say, or null.
  get question() {
    return this.dealerDecides ? openQuestion(this.guide, this.work, this.prefs.full) : null;
  }

  // Whether everything is said that the settlement takes.
  get maySettle() {
    const ended = this.guide?.hand === "stands" || this.guide?.hand === "bust";
    return this.mayAct && (!this.dealerDecides || (ended && this.question === null));
  }

  // --- what the dealer does ---

  setCards(seat, entry) {
    this.#memory.remember(
      seat === "dealer"
        ? { dealer: entry }
        : { seats: { ...this.work.seats, [seat]: entry } },
    );
    this.#look();
    this.#changed();
  }

  // What the dealer says of a seat: { points_over }, { blackjack: false }, or { whole: true } for
  // a hand that was keyed to its end.
  answer(seat, said) {
    this.#memory.remember({ answers: answered(this.work.answers, seat, said) });
    this.#changed();
  }

  askAgain() {
    this.#memory.remember({ answers: {} });
    this.#changed();
  }

  prefer(changes) {
    this.#memory.prefer(changes);
    this.#changed();
  }

  paid() {
    this.#memory.remember({ paidUpTo: this.state.last.journal_seq });
    this.payouts.note();
    this.#changed();
  }

  lock() {
    if (this.placing.mayLock) {
      this.placing.choose(null);
      this.#ask({ type: "lock", wagers: this.wagers, chips_counted: this.placing.chipsCounted });
    }
  }

  settle() {
    if (this.maySettle) {
      this.#askOfRound({
        type: "settle",
        dealer: { cards: this.work.dealer.cards },
        seats: seatMessages(this.guide, this.work, this.claimingSeats, this.prefs.full),
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

  // Lammers depend on cards that only this panel has seen so far (ARSD 20:18:15:30.07(6)(b)), and so
  // does what the dealer's hand leaves open.
  #look() {
    const marked = this.bets.some((bet) => bet.lammers === "after_hand") && this.keyedSeats.length > 0;
    if (this.state?.round && (marked || this.dealerDecides)) {
      const seats = this.keyedSeats.map((seat) => seatMessage(seat, this.work.seats[seat]));
      const dealer = { cards: this.work.dealer.cards };
      this.#lookId = newKey();
      this.#send({ type: "look", id: this.#lookId, seats, dealer });
    }
  }
}
