// The dealer's side of the screen: one view for each state of the table, each with its one big act.
// A view is made once and only its words change, so that a finger on a button is never cut off by
// what happens elsewhere on the floor.

import { h, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { amountOf, draftOf } from "./draft.js";
import { HoldButton } from "./hold.js";
import { PaymentList } from "./payments.js";
import { betName, count } from "./words.js";

export class BettingDesk {
  #table;
  #counts = [];
  #lock;
  #again;
  #clear;

  constructor(table, { setAmounts }) {
    this.#table = table;
    this.#lights = h("strong", { class: "count-lights" });
    this.#verdict = h("p", { class: "count-verdict", role: "status" });
    this.#pad = h("div", { class: "count-pad", role: "group", "aria-label": "Chips counted" });
    const title = h("h2", {}, "Chips counted");
    this.#count = h("section", { class: "count" }, title, this.#pad, this.#verdict);
    this.#lock = new HoldButton(() => table.lock(), { id: "lock" });
    this.#amounts = h("button", { type: "button", class: "amounts", onclick: setAmounts });
    const again = () => table.setDraft(draftOf(table.work.before, table.bets));
    this.#again = h("button", { type: "button", onclick: again }, "Same again");
    this.#clear = h("button", { type: "button", onclick: () => table.setDraft({}) }, "All off");
    this.element = h(
      "div",
      { class: "desk-view betting" },
      h("div", { class: "desk-tools" }, this.#again, this.#clear, this.#amounts),
      this.#count,
      this.#lock.element,
    );
  }

  #lights;
  #verdict;
  #pad;
  #count;
  #amounts;

  update() {
    const table = this.#table;
    const { lights, chipsCounted, chipsAgree, takesBets } = table;
    this.#drawPad();
    setAttribute(this.#count, "hidden", !table.countsChips);
    const uncounted = chipsCounted === null;
    setAttribute(this.#count, "data-agrees", chipsAgree ? "yes" : uncounted ? "open" : "no");
    setText(this.#verdict, verdict(lights, chipsCounted));
    const placed = table.wagers.length;
    this.#lock.update({
      label: "Lock out",
      hint: lockHint(table, placed),
      enabled: takesBets && chipsAgree,
      question: "Lock out the side bets",
    });
    this.#again.disabled = !takesBets || table.work.before.length === 0;
    this.#clear.disabled = !takesBets || placed === 0;
    this.#amounts.disabled = !takesBets;
    const range = table.bets.filter((bet) => bet.wager_cents === null);
    const parts = [
      `Base wager ${short(table.prefs.base_cents)}`,
      ...range.map((bet) => `${betName(bet)} ${short(amountOf(bet, table.prefs))}`),
    ];
    setText(this.#amounts, parts.join(" · "));
    setAttribute(this.#amounts, "aria-label", `Amounts of a tap: ${parts.join(", ")}`);
  }

  #drawPad() {
    const table = this.#table;
    const acceptors = table.bets.filter((bet) => bet.meters.length > 0).length;
    const most = table.state.seats * acceptors;
    while (this.#counts.length > most + 1) {
      this.#counts.pop().remove();
    }
    while (this.#counts.length < most + 1) {
      const number = this.#counts.length;
      const choose = () => table.countChips(number);
      const button = h("button", { type: "button", class: "key", onclick: choose }, String(number));
      this.#counts.push(button);
      this.#pad.append(button);
    }
    this.#counts.forEach((button, number) => {
      setAttribute(button, "aria-pressed", String(table.work.counted === number));
      button.disabled = !table.takesBets;
    });
  }
}

function verdict(lights, counted) {
  const lit = count(lights, "light");
  if (counted === null) {
    return `${lit} on. Count the chips.`;
  }
  if (counted === lights) {
    return lights === 0 ? "No lights, no chips." : `${lit}, ${count(counted, "chip")}: they agree.`;
  }
  return `${lit}, but ${count(counted, "chip")}: look again.`;
}

function lockHint(table, placed) {
  if (!table.inContact) {
    return "No contact";
  }
  if (!table.chipsAgree) {
    return table.chipsCounted === null ? "Count the chips first" : "Lights and chips differ";
  }
  return placed === 0 ? "Hold: nobody bets" : `Hold: ${count(placed, "bet")}`;
}

function short(cents) {
  return pageMoney(cents).replace(/\.00$/, "");
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
