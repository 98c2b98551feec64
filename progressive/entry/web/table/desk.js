// The dealer's side of the screen: one view for each state of the table, each with its one big act.
// A view is made once and only its words change, so that a finger on a button is never cut off by
// what happens elsewhere on the floor.

import { h, setAttribute, setText } from "../kit/dom.js";
import { HoldButton } from "../kit/hold.js";
import { PaymentList } from "./payments.js";
import { count } from "./words.js";

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
