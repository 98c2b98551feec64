// Cards by touch: a rank, a suit, done. Two taps a card, in either order.

import { cardName, isRed, RANKS, rankName, rankText, SUITS, suitName, suitText } from "../kit/cards.js";
import { h, setAttribute, setText } from "../kit/dom.js";
import { dealt, maySplit, NO_CARDS, split, undone } from "./hands.js";

// One dialog for the life of the page. `next(seat)` says which seat is keyed after this one, or null.
export class Keypad {
  #table;
  #next;
  #seat = null;
  #whole = false; // The seat was asked for its whole hand.
  #hand = 0;
  #rank = null;
  #suit = null;
  #ranks = new Map();
  #suits = new Map();

  constructor(table, next) {
    this.#table = table;
    this.#next = next;
    this.#title = h("h2", { id: "keypad-title" });
    this.#hands = h("div", { class: "keyed", "aria-live": "polite" });
    this.#hint = h("p", { class: "quiet small" });
    const key = (pads, name, label, text, choose) => {
      const button = h("button", { type: "button", class: "key", "aria-label": label, onclick: choose }, text);
      pads.set(name, button);
      return button;
    };
    const ranks = RANKS.map((rank) =>
      key(this.#ranks, rank, rankName(rank), rankText(rank), () => this.#choose({ rank })),
    );
    const suits = SUITS.map((suit) => {
      const button = key(this.#suits, suit, suitName(suit), suitText(suit), () => this.#choose({ suit }));
      button.toggleAttribute("data-red", isRed(suit));
      return button;
    });
    this.#undo = this.#tool("Undo", () => this.#set(undone(this.#entry)));
    this.#split = this.#tool("Split", () => this.#set(split(this.#entry, this.#hand)));
    this.#clear = this.#tool("Clear", () => this.#set(NO_CARDS));
    this.#on = this.#tool("Next seat", () => this.open(this.#next(this.#seat)));
    this.#done = h("button", { type: "button", class: "primary", onclick: () => this.#finish() }, "Done");
    this.element = h(
      "dialog",
      { class: "dialog keypad", "aria-labelledby": "keypad-title" },
      h("header", {}, this.#title, this.#hint),
      this.#hands,
      h("div", { class: "pads" },
        h("div", { class: "ranks", role: "group", "aria-label": "Rank" }, ranks),
        h("div", { class: "suits", role: "group", "aria-label": "Suit" }, suits)),
      h("div", { class: "tools" }, this.#undo, this.#split, this.#clear, this.#on, this.#done),
    );
    document.body.append(this.element);
  }

  #title;
  #hands;
  #hint;
  #undo;
  #split;
  #clear;
  #on;
  #done;

  #tool(label, act) {
    return h("button", { type: "button", onclick: act }, label);
  }

  get #entry() {
    return this.#table.cardsOf(this.#seat);
  }

  // A seat's number, or "dealer". `whole`: the seat is asked for all of its cards.
  open(seat, { whole = false } = {}) {
    if (seat === null) {
      this.close();
      return;
    }
    this.#seat = seat;
    this.#whole = whole;
    this.#hand = Math.max(0, this.#entry.hands.length - 1);
    this.#rank = null;
    this.#suit = null;
    this.show();
    if (!this.element.open) {
      this.element.showModal();
    }
    this.#ranks.get("A").focus();
  }

  #finish() {
    if (this.#whole && this.#entry.cards.length >= 2) {
      this.#table.answer(this.#seat, { whole: true });
    }
    this.close();
  }

  close() {
    if (this.element.open) {
      this.element.close();
    }
  }

  #choose({ rank = this.#rank, suit = this.#suit }) {
    this.#rank = rank;
    this.#suit = suit;
    if (rank !== null && suit !== null) {
      this.#rank = null;
      this.#suit = null;
      this.#set(dealt(this.#entry, rank + suit, this.#hand));
    } else {
      this.show();
    }
  }

  #set(entry) {
    this.#hand = Math.min(this.#hand, Math.max(0, entry.hands.length - 1));
    this.#table.setCards(this.#seat, entry);
    this.show();
  }

  show() {
    if (this.#seat === null) {
      return;
    }
    const entry = this.#entry;
    const isDealer = this.#seat === "dealer";
    setText(this.#title, isDealer ? "Dealer's cards" : `Seat ${this.#seat}`);
    setText(this.#hint, this.#hintText(isDealer, entry));
    this.#drawHands(entry);
    for (const [rank, button] of this.#ranks) {
      setAttribute(button, "aria-pressed", String(rank === this.#rank));
    }
    for (const [suit, button] of this.#suits) {
      setAttribute(button, "aria-pressed", String(suit === this.#suit));
    }
    const empty = entry.cards.length === 0;
    this.#undo.disabled = empty;
    this.#clear.disabled = empty;
    setAttribute(this.#split, "hidden", isDealer || !maySplit(entry, this.#hand));
    setAttribute(this.#on, "hidden", this.#next(this.#seat) === null);
  }

  #hintText(isDealer, entry) {
    if (!isDealer) {
      return this.#whole ? "Its whole hand, in the order dealt" : "In the order dealt";
    }
    const { guide, dealerDecides } = this.#table;
    return dealerDecides && guide !== null && entry.cards.length > 1
      ? guide.words
      : "Up card first, in the order dealt";
  }

  #drawHands(entry) {
    const hands = entry.hands.length > 0 ? entry.hands : [entry.cards];
    const rows = hands.map((cards, index) => {
      const row = h("span", { class: "cards" }, cards.map((card) => h("playing-card", { card })));
      if (entry.hands.length === 0) {
        row.append(h("span", { class: "slot", "aria-hidden": "true" }, this.#halfCard()));
        return row;
      }
      const name = `Hand ${index + 1}: ${cards.map(cardName).join(", ")}`;
      return h("button", {
        type: "button", class: "hand", "aria-label": name,
        "aria-pressed": String(index === this.#hand),
        onclick: () => { this.#hand = index; this.show(); },
      }, row);
    });
    this.#hands.replaceChildren(...rows);
  }

  // What is chosen of the next card.
  #halfCard() {
    return `${this.#rank === null ? "" : rankText(this.#rank)}${this.#suit === null ? "" : suitText(this.#suit)}`;
  }
}
