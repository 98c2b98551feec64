// The locked round: the dealer is led from the last card to the settlement. Before the peek the
// two-card awards are asked for; a Buster bet asks for the dealer's hand first, and a bust for what
// the hand leaves open, seat by seat. A round without any of that is one act, as ever.

import { h, setAttribute, setText } from "../kit/dom.js";
import { HoldButton } from "../kit/hold.js";
import { PaymentList } from "./payments.js";
import { count } from "./words.js";

export class SettlingDesk {
  #table;
  #settle;
  #early;
  #earlyPaid;
  #all;
  #todo;
  #misdeal;
  #arrived;
  #peek;
  #hand;
  #question;
  #said;

  constructor(table, { misdeal, keyCards }) {
    this.#table = table;
    this.#todo = h("p", { class: "desk-todo", role: "status" });
    this.#arrived = h("p", { class: "desk-warning" },
      "This lock-out had arrived before the side bets were given back. Void it as a misdeal.");
    this.#earlyPaid = new PaymentList(table, "Paid before the peek");
    this.#peek = h("button", { type: "button", id: "peek", onclick: () => keyCards("dealer") },
      "Ace or ten up");
    this.#early = new HoldButton(() => table.settleEarly(), { kind: "", id: "early" });
    this.#hand = h("button",
      { type: "button", class: "primary big", id: "dealers-hand", onclick: () => keyCards("dealer") },
      "Key the dealer's hand");
    this.#question = new SeatQuestion(table, keyCards);
    this.#said = new SaidOfSeats(table);
    this.#settle = new HoldButton(() => table.settle(), { id: "settle" });
    const keyAll = () => table.prefer({ full: this.#all.checked });
    this.#all = h("input", { type: "checkbox", id: "all-cards", onchange: keyAll });
    const danger = { type: "button", class: "danger", id: "misdeal", onclick: misdeal };
    this.#misdeal = h("button", danger, "Misdeal");
    this.element = h(
      "div",
      { class: "desk-view locked" },
      this.#arrived,
      this.#todo,
      this.#earlyPaid.element,
      h("div", { class: "desk-tools" },
        h("label", { class: "check", for: "all-cards" }, this.#all, "Key all cards"),
        this.#misdeal),
      this.#peek,
      this.#early.element,
      this.#question.element,
      this.#said.element,
      this.#hand,
      this.#settle.element,
    );
  }

  update() {
    const table = this.#table;
    const early = table.state.round.early;
    const step = stepOf(table);
    setAttribute(this.element, "data-step", step);
    setAttribute(this.#arrived, "hidden", !table.arrivedAfterAll);
    setText(this.#todo, todo(table, step));
    setAttribute(this.#earlyPaid.element, "hidden", early === null);
    this.#earlyPaid.show(early?.awards ?? []);
    this.#all.checked = table.prefs.full;
    const asksUpCard = table.earlyDue && table.work.dealer.cards.length === 0;
    setAttribute(this.#peek, "hidden", !asksUpCard);
    this.#peek.disabled = !table.mayAct;
    setAttribute(this.#early.element, "hidden", step !== "peek");
    this.#early.update({
      label: "Pay before the peek",
      hint: table.early.length > 0 ? `Hold: ${count(table.early.length, "seat")}` : "No 7 keyed: peek, and go on",
      enabled: table.mayAct && table.early.length > 0,
    });
    this.#question.show(table.question);
    this.#said.show();
    // Before the peek: sevens that are keyed are paid first, then comes the rest of the hand.
    const wantsHand = step === "hand" || (step === "peek" && table.dealerDecides);
    setAttribute(this.#hand, "hidden", !wantsHand || table.early.length > 0);
    this.#hand.disabled = !table.mayAct;
    setAttribute(this.#settle.element, "hidden", wantsHand || step === "question");
    this.#settle.update({ ...settleWords(table), enabled: table.maySettle });
    setAttribute(this.#misdeal, "aria-disabled", table.mayAct && early === null ? null : "true");
  }
}

// "peek": two cards are paid first. "hand": the dealer's hand is wanted. "question": a seat is asked.
// "settle": all is said.
function stepOf(table) {
  if (table.earlyDue && table.isPeek) {
    return "peek";
  }
  if (!table.dealerDecides || table.guide?.hand === "stands") {
    return "settle";
  }
  if (table.guide?.hand !== "bust") {
    return "hand";
  }
  return table.question === null ? "settle" : "question";
}

function todo(table, step) {
  const keyed = table.claimingSeats.length;
  if (table.wagers.length === 0) {
    return "Nobody bet on the side. Deal, then close the round.";
  }
  if (step === "peek") {
    return "Before the peek: tap each lit seat that holds a 7, key its two cards, and pay it.";
  }
  const words = table.dealerDecides && table.guide !== null ? table.guide.words : null;
  if (step === "hand") {
    const begun = table.work.dealer.cards.length > 1;
    return begun ? words : "Deal. The dealer's hand decides the Buster bets: key it when it is complete.";
  }
  if (step === "question") {
    return words;
  }
  const others = otherBets(table);
  if (table.prefs.full) {
    const seats = `${keyed} of ${count(table.wageredSeats.length, "seat")} keyed. Tap a seat or the dealer.`;
    return words === null ? seats : `${words} ${seats}`;
  }
  const winners = keyed === 0 ? "tap each seat that won a side bet" : "tap another winner, or settle";
  if (words !== null) {
    return others ? `${words} ${sentence(winners)}` : words;
  }
  return keyed === 0 ? `Deal. Then ${winners}.` : sentence(winners);
}

function sentence(words) {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

// Whether a bet is lit that a seat wins by its own cards.
function otherBets(table) {
  const own = new Set(table.bets.filter((bet) => !bet.dealer_decides).map((bet) => bet.id));
  return table.wagers.some((wager) => own.has(wager.bet));
}

function settleWords(table) {
  const keyed = table.claimingSeats.length;
  if (table.prefs.full && table.wagers.length > 0) {
    return { label: "Settle the round", hint: `Hold: ${count(keyed, "seat")} keyed` };
  }
  if (table.dealerDecides && table.guide?.hand === "bust") {
    return { label: "Settle the round", hint: "Hold: then pay all who won" };
  }
  if (keyed === 0) {
    const question = "Close the round without winners";
    return { label: "No winners", hint: "Hold: close the round", question };
  }
  return { label: count(keyed, "winner"), hint: "Hold: settle the round", question: "Settle the round" };
}

// One seat at a time: its answer in one tap, or its cards.
class SeatQuestion {
  #table;
  #title;
  #less;
  #more;
  #none;
  #key;
  #asked = null;

  constructor(table, keyCards) {
    this.#table = table;
    this.#title = h("h2", {});
    const answer = (said) => () => this.#asked && table.answer(this.#asked.seat, said);
    this.#less = h("button", { type: "button", onclick: answer({ points_over: false }) });
    this.#more = h("button", { type: "button", onclick: answer({ points_over: true }) });
    this.#none = h("button", { type: "button", onclick: answer({ blackjack: false }) }, "No blackjack");
    const key = () => this.#asked && keyCards(this.#asked.seat, { whole: this.#asked.ask === "points" });
    this.#key = h("button", { type: "button", onclick: key });
    this.element = h("section", { class: "seat-question", role: "group" },
      this.#title, h("div", { class: "answers" }, this.#less, this.#more, this.#none, this.#key));
  }

  show(asked) {
    this.#asked = asked;
    setAttribute(this.element, "hidden", asked === null);
    if (asked === null) {
      return;
    }
    const points = asked.ask === "points";
    const limit = asked.points_max;
    setText(this.#title, points
      ? `Seat ${asked.seat}: ${limit + 1} points or more?`
      : `Seat ${asked.seat}: a blackjack?`);
    setAttribute(this.element, "aria-label", this.#title.textContent);
    setText(this.#less, `${limit} or less`);
    setText(this.#more, `${limit + 1} or more`);
    setText(this.#key, points ? "Key the whole hand" : "Key its cards");
    setAttribute(this.#less, "hidden", !points);
    setAttribute(this.#more, "hidden", !points);
    setAttribute(this.#none, "hidden", points);
    for (const button of [this.#less, this.#more, this.#none, this.#key]) {
      button.disabled = !this.#table.mayAct;
    }
  }
}

// What was said of the seats so far, and the way back after a slip of the finger.
class SaidOfSeats {
  #table;
  #text;

  constructor(table) {
    this.#table = table;
    this.#text = h("p", { class: "quiet" });
    const again = () => table.mayAct && table.askAgain();
    this.element = h("div", { class: "said" }, this.#text,
      h("button", { type: "button", onclick: again }, "Ask again"));
  }

  show() {
    const words = (this.#table.guide?.questions ?? []).flatMap(({ seat, points_max: limit }) => {
      const { points_over: over, blackjack, whole } = this.#table.work.answers[seat] ?? {};
      const said = [
        over !== undefined && whole !== true ? (over ? `${limit + 1} or more` : `${limit} or less`) : null,
        blackjack === false ? "no blackjack" : null,
      ].filter((each) => each !== null);
      return said.length > 0 ? [`Seat ${seat}: ${said.join(", ")}.`] : [];
    });
    setAttribute(this.element, "hidden", words.length === 0);
    setText(this.#text, words.join(" "));
  }
}
