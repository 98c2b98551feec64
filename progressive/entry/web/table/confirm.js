// Payouts that wait for a supervisor: one tap for each round, once she is signed in at this panel;
// and those of earlier rounds that she has confirmed since, until the dealer has paid them.

import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { clockText } from "../kit/time.js";
import { count } from "./words.js";

export class ConfirmBar {
  #table;
  #what;
  #signIn;
  #who;
  #leave;
  #rounds;
  #paid;

  constructor(element, table, { signIn }) {
    this.element = element;
    this.#table = table;
    this.#what = h("p", { class: "confirm-what", role: "status" });
    this.#signIn = h("button", { type: "button", class: "primary", id: "supervisor-in", onclick: signIn },
      "Supervisor signs in");
    this.#who = h("p", { class: "confirm-who" });
    const leave = () => table.supervisor.leave();
    this.#leave = h("button", { type: "button", id: "supervisor-out", onclick: leave }, "Leave");
    const rounds = h("div", { class: "confirm-rounds" });
    this.#rounds = new KeyedList(rounds, { key: ({ key }) => key, make: () => this.#roundButton() });
    const paid = h("ul", { class: "confirm-paid", "aria-label": "Confirmed: pay from the rack" });
    this.#paid = new KeyedList(paid, { key: (award) => award.award, make: () => this.#paidRow() });
    element.replaceChildren(paid, this.#what, rounds, this.#signIn,
      h("div", { class: "confirm-her" }, this.#who, this.#leave));
  }

  update() {
    const { supervisor, payouts } = this.#table;
    const { roundsToConfirm, confirmedSince } = payouts;
    const awards = roundsToConfirm.flatMap((round) => round.awards);
    const idle = awards.length === 0 && confirmedSince.length === 0 && !supervisor.isHere;
    setAttribute(this.element, "hidden", idle);
    this.#paid.show(confirmedSince);
    setAttribute(this.#what, "hidden", supervisor.isHere || awards.length === 0);
    setText(this.#what, waitsText(awards, roundsToConfirm.length));
    this.#rounds.show(supervisor.isHere ? roundsToConfirm : []);
    setAttribute(this.#signIn, "hidden", supervisor.isHere || awards.length === 0);
    setAttribute(this.#leave, "hidden", !supervisor.isHere);
    setAttribute(this.#who, "hidden", !supervisor.isHere);
    const until = supervisor.isHere ? clockText(supervisor.until) : "";
    setText(this.#who, `Supervisor ${supervisor.name ?? ""}, until ${until}`);
  }

  #roundButton() {
    let latest = null;
    const button = h("button", { type: "button", class: "primary confirm-round" });
    button.addEventListener("click", () => this.#table.supervisor.confirm(latest));
    const update = (round) => {
      latest = round;
      setAttribute(button, "data-round", round.round);
      setText(button, `Confirm ${round.awards.map(payout).join(", ")}`);
    };
    return { element: button, update };
  }

  #paidRow() {
    let latest = null;
    const text = h("span");
    const done = h("button", { type: "button" }, "Paid");
    done.addEventListener("click", () => this.#table.payouts.paidLater(latest));
    const update = (award) => {
      latest = award;
      setText(text, `Confirmed: pay seat ${award.seat} ${pageMoney(award.due_cents)} from the rack`);
    };
    return { element: h("li", {}, text, done), update };
  }
}

const payout = (award) => `seat ${award.seat} ${pageMoney(award.due_cents)}`;

function waitsText(awards, rounds) {
  const of = rounds > 1 ? `${rounds} rounds` : "this round";
  return `A supervisor confirms ${of}: ${count(awards.length, "payout")} from the rack.`;
}
