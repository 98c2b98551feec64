// The dealer's side of the screen: one view for each state of the table, each with its one big act.
// A view is made once and only its words change, so that a finger on a button is never cut off by
// what happens elsewhere on the floor.

import { h, setAttribute, setText } from "../kit/dom.js";
import { HoldButton } from "./hold.js";
import { PaymentList } from "./payments.js";
import { count } from "./words.js";

export class LockedDesk {
  #table;
  #settle;
  #early;
  #earlyPaid;
  #all;
  #todo;
  #misdeal;
  #arrived;

  constructor(table, { misdeal }) {
    this.#table = table;
    this.#todo = h("p", { class: "desk-todo" });
    this.#arrived = h("p", { class: "desk-warning" },
      "This lock-out had arrived before the side bets were given back. Void it as a misdeal.");
    this.#earlyPaid = new PaymentList(table, "Paid before the peek");
    this.#early = new HoldButton(() => table.settleEarly(), { kind: "", id: "early" });
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
      this.#early.element,
      this.#settle.element,
    );
  }

  update() {
    const table = this.#table;
    const keyed = table.keyedSeats.length;
    const { full } = table.prefs;
    const early = table.state.round.early;
    setAttribute(this.#arrived, "hidden", !table.arrivedAfterAll);
    setText(this.#todo, todo(table, keyed));
    setAttribute(this.#earlyPaid.element, "hidden", early === null);
    this.#earlyPaid.show(early?.awards ?? []);
    this.#all.checked = full;
    setAttribute(this.#early.element, "hidden", !table.state.may_settle_early || early !== null);
    this.#early.update({
      label: "Pay before the peek",
      hint: table.early.length > 0
        ? `Hold: ${count(table.early.length, "seat")}`
        : "Ace or ten up, and two cards of each winner",
      enabled: table.mayAct && table.early.length > 0,
    });
    this.#settle.update({ ...settleWords(table, keyed, full), enabled: table.mayAct });
    setAttribute(this.#misdeal, "aria-disabled", table.mayAct && early === null ? null : "true");
  }
}

function todo(table, keyed) {
  const bets = table.wagers.length;
  if (bets === 0) {
    return "Nobody bet on the side. Deal, then close the round.";
  }
  if (table.prefs.full) {
    return `${keyed} of ${count(table.wageredSeats.length, "seat")} keyed. Tap a seat or the dealer.`;
  }
  return keyed === 0 ? "Deal. Then tap each seat that won a side bet." : "Tap another winner, or settle.";
}

function settleWords(table, keyed, full) {
  if (full && table.wagers.length > 0) {
    return { label: "Settle the round", hint: `Hold: ${count(keyed, "seat")} keyed` };
  }
  if (keyed === 0) {
    const question = "Close the round without winners";
    return { label: "No winners", hint: "Hold: close the round", question };
  }
  return { label: count(keyed, "winner"), hint: "Hold: settle the round", question: "Settle the round" };
}

export class PayingDesk {
  #table;
  #list;
  #held;

  constructor(table) {
    this.#table = table;
    this.#list = new PaymentList(table, "Pay in this order");
    this.#held = h("p", { class: "desk-todo" });
    const primary = { type: "button", class: "primary big", id: "next-round" };
    this.element = h(
      "div",
      { class: "desk-view paying" },
      h("h2", {}, "Pay in this order"),
      this.#list.element,
      this.#held,
      h("button", { ...primary, onclick: () => table.paid() }, "Next round"),
    );
  }

  update() {
    const { paying } = this.#table;
    this.#list.show(paying);
    const holds = paying.filter((award) => award.step === "hold").length;
    setAttribute(this.#held, "hidden", holds === 0);
    setText(this.#held, `${count(holds, "hand")} to hold. They stay listed above until they are paid.`);
  }
}

// What is said where there is nothing to do but wait, or one thing to put right.
export class WaitingDesk {
  #table;
  #text;
  #button;
  #act = () => {};

  constructor(table) {
    this.#table = table;
    this.#text = h("p", { class: "desk-todo" });
    this.#button = h("button", { type: "button", class: "primary big", onclick: () => this.#act() });
    this.element = h("div", { class: "desk-view waiting" }, this.#text, this.#button);
  }

  update() {
    const table = this.#table;
    const { text, label = null, act = () => {} } = words(table);
    setText(this.#text, text);
    setAttribute(this.#button, "hidden", label === null);
    setText(this.#button, label ?? "");
    this.#act = act;
  }
}

function words(table) {
  switch (table.mode) {
    case "sending":
      return sendingWords(table);
    case "inoperable":
      return { text: table.state.reason ?? "The link is out of service." };
    case "elsewhere": {
      const dealer = table.state.dealer?.name ?? "Nobody";
      const you = table.you?.name ?? "you";
      const text = `${dealer} is signed on at this table.`;
      return { text, label: `Sign on as ${you}`, act: () => table.signOn() };
    }
    default:
      return { text: "Connecting to the service." };
  }
}

function sendingWords(table) {
  const { type } = table.work.pending;
  if (table.inContact) {
    return { text: "Sending." };
  }
  if (type !== "lock") {
    return { text: "Not confirmed yet. It is sent again when contact is back." };
  }
  return {
    text:
      "The lock-out is not confirmed. Do not deal on the side bets. " +
      "Wait for contact, or give them back.",
    label: "Give the side bets back",
    act: () => table.withdraw(),
  };
}
