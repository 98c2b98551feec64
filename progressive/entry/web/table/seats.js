// The seats as the dealer sees them: seat 1 at the left hand, the highest at the right, in an arc
// whose ends come towards the dealer.

import { cardRow } from "../kit/cards.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { short } from "./bases.js";
import { betName, betShort } from "./words.js";

export class Seats {
  #table;
  #list;
  #element;

  // openSeat(seat) is called for a seat's own button: its amounts, or its cards once locked;
  // tapLight(seat, bet) for a light.
  constructor(element, table, acts) {
    this.#element = element;
    this.#table = table;
    this.#list = new KeyedList(element, {
      key: (seat) => seat,
      make: (seat) => seatOf(seat, table, acts),
    });
  }

  show() {
    const { seats } = this.#table.state;
    this.#element.style.setProperty("--seats", seats);
    this.#list.show(Array.from({ length: seats }, (_, index) => index + 1));
  }
}

function seatOf(seat, table, { openSeat, tapLight }) {
  const number = h("span", { class: "seat-number" }, String(seat));
  const base = h("span", { class: "seat-base" });
  const cards = h("span", { class: "seat-cards" });
  const open = h(
    "button",
    { type: "button", class: "seat-open", onclick: () => openSeat(seat) },
    number,
    base,
    cards,
  );
  const lights = h("div", { class: "lights" });
  const lightList = new KeyedList(lights, {
    key: (bet) => bet.id,
    make: (bet) => lightOf(seat, bet, table, tapLight),
  });
  const award = h("p", { class: "seat-award", hidden: true });
  const element = h("li", { class: "seat", "data-seat": seat }, open, lights, award);

  const update = () => {
    const half = (table.state.seats - 1) / 2 || 1;
    // 0 in the middle, 1 at both ends: how far the seat comes towards the dealer.
    element.style.setProperty("--near", (((seat - 1 - half) / half) ** 2).toFixed(3));
    const wagers = table.wagers.filter((wager) => wager.seat === seat);
    const locked = table.state.round !== null;
    const keyed = table.cardsShown(seat);
    const mayOpen = locked ? table.mayAct && wagers.length > 0 : table.takesBets;
    setAttribute(element, "data-lit", wagers.length > 0);
    setAttribute(element, "data-keyed", keyed.length > 0);
    setAttribute(open, "aria-disabled", mayOpen ? null : "true");
    const shown = locked ? null : baseShown(seat, table);
    const chosen = !locked && table.takesBets && table.placing.keyingSeat === seat;
    setAttribute(element, "data-chosen", chosen);
    setAttribute(open, "aria-pressed", shown === null ? null : String(chosen));
    setAttribute(open, "aria-label", locked ? cardsName(seat, keyed) : amountsName(seat, shown));
    setAttribute(base, "data-base", shown?.state ?? null);
    setText(base, shown?.text ?? "");
    drawCards(cards, keyed);
    lightList.show(table.bets);
    const mine = table.mode === "paying" ? table.paying.filter((each) => each.seat === seat) : [];
    setAttribute(award, "hidden", mine.length === 0);
    setText(award, mine.map((each) => `${each.order}.`).join(" "));
  };
  return { element, update };
}

function cardsName(seat, keyed) {
  return keyed.length > 0 ? `Seat ${seat}: change cards` : `Seat ${seat}: key cards`;
}

// The base wager beside the lights: keyed, proposed from the round before, wrong, or missing.
function baseShown(seat, table) {
  if (!table.placing.askedSeats.includes(seat)) {
    return null;
  }
  const base = table.placing.baseAt(seat);
  if (base === null) {
    return { state: "missing", text: "Base?", name: "base wager missing" };
  }
  const text = short(base.cents);
  const fault = table.placing.faultAt(seat);
  if (fault !== null) {
    return { state: "wrong", text, name: fault.text };
  }
  return base.keyed
    ? { state: "keyed", text, name: `base wager ${text}` }
    : { state: "proposed", text, name: `base wager ${text}, as in the round before` };
}

function amountsName(seat, shown) {
  return shown === null ? `Seat ${seat}: amounts` : `Seat ${seat}: ${shown.name}`;
}

function drawCards(element, cards) {
  const text = cards.join(" ");
  if (element.dataset.cards !== text) {
    element.dataset.cards = text;
    element.replaceChildren(cards.length > 0 ? cardRow(cards) : "");
  }
}

function lightOf(seat, bet, table, tapLight) {
  const what = h("span", { class: "light-bet" }, betShort(bet));
  const amount = h("span", { class: "light-amount" });
  const lammer = h("span", { class: "lammer", hidden: true }, "Lammer");
  const element = h(
    "button",
    { type: "button", class: "light", "data-bet": bet.id, onclick: () => tapLight(seat, bet) },
    what,
    amount,
    lammer,
  );
  const update = () => {
    const wager = table.wagers.find((each) => each.seat === seat && each.bet === bet.id);
    const tender = wager?.tender ?? "off";
    const sum = wager === undefined ? "" : short(wager.amount_cents);
    setAttribute(element, "data-light", tender);
    setAttribute(element, "data-wrong", table.state.round === null && table.placing.faultAt(seat)?.bet === bet.id);
    setAttribute(element, "aria-pressed", String(wager !== undefined));
    setAttribute(element, "aria-disabled", table.takesBets ? null : "true");
    setAttribute(element, "aria-label", lightName(seat, bet, wager, sum));
    setText(amount, tender === "coupon" ? `${sum} coupon` : sum);
    const marked = table.lammers.some((each) => each.bet === bet.id && each.seats.includes(seat));
    setAttribute(lammer, "hidden", !marked);
  };
  return { element, update };
}

function lightName(seat, bet, wager, sum) {
  const state = wager === undefined ? "off" : `${sum}, ${wager.tender}`;
  return `Seat ${seat}, ${betName(bet)}: ${state}`;
}
