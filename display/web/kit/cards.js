// <playing-card card="7d">: a card face, named aloud ("7 of diamonds"). Without a card: its back.

import { h } from "./dom.js";

export const RANKS = [..."A23456789TJQK"];
export const SUITS = [..."shdc"];

const SYMBOLS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_NAMES = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };

export function isCard(text) {
  return /^[A23456789TJQK][shdc]$/.test(text);
}

export function isRed(suit) {
  return suit === "h" || suit === "d";
}

export function rankText(rank) {
  return rank === "T" ? "10" : rank;
}

export function suitText(suit) {
  return SYMBOLS[suit];
}

export function suitName(suit) {
  return SUIT_NAMES[suit];
}

export function rankName(rank) {
  return RANK_NAMES[rank] ?? rank;
}

export function cardName(card) {
  return `${rankName(card[0])} of ${SUIT_NAMES[card[1]]}`;
}

export class PlayingCard extends HTMLElement {
  static observedAttributes = ["card"];

  connectedCallback() {
    this.setAttribute("role", "img");
    this.#draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.#draw();
    }
  }

  #draw() {
    const card = this.getAttribute("card") ?? "";
    const face = isCard(card);
    this.toggleAttribute("data-back", !face);
    this.toggleAttribute("data-red", face && isRed(card[1]));
    this.setAttribute("aria-label", face ? cardName(card) : "card face down");
    this.replaceChildren(
      ...(face
        ? [
            h("span", { class: "rank", "aria-hidden": "true" }, rankText(card[0])),
            h("span", { class: "suit", "aria-hidden": "true" }, suitText(card[1])),
          ]
        : []),
    );
  }
}

// A row of cards in the order dealt.
export function cardRow(cards) {
  return h(
    "span",
    { class: "cards" },
    cards.map((card) => h("playing-card", { card })),
  );
}

customElements.define("playing-card", PlayingCard);
