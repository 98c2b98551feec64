// The payment list: who is paid what, in which order, and what the dealer does about it now.

import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { betName } from "./words.js";

export class PaymentList {
  #list;

  constructor(table, label) {
    this.element = h("ol", { class: "payments", "aria-label": label });
    this.#list = new KeyedList(this.element, {
      key: (award) => award.award,
      make: () => paymentOf(table),
    });
  }

  show(awards) {
    this.#list.show(awards);
  }
}

function paymentOf(table) {
  const order = h("span", { class: "pay-order", "aria-hidden": "true" });
  const seat = h("strong", { class: "pay-seat" });
  const line = h("span", { class: "pay-line" });
  const amount = h("strong", { class: "pay-amount" });
  const rest = h("span", { class: "pay-rest quiet small" });
  const todo = h("p", { class: "pay-what" });
  const element = h(
    "li",
    { class: "payment" },
    order,
    h("span", { class: "pay-who" }, seat, line),
    h("span", { class: "pay-sum" }, amount, rest),
    todo,
  );
  const update = (award) => {
    const bet = table.bets.find((each) => each.id === award.bet);
    setAttribute(element, "data-step", award.step);
    setAttribute(element, "data-award", award.award);
    setText(order, `${award.order}.`);
    setText(seat, `Seat ${award.seat}`);
    const several = table.bets.length > 1 && bet !== undefined;
    setText(line, several ? `${betName(bet)}: ${award.line_name}` : award.line_name);
    setText(amount, pageMoney(award.due_cents));
    setText(rest, restOf(award, table.state.meters));
    setText(todo, sentence(award.todo));
  };
  return { element, update };
}

function restOf(award, meters) {
  const parts = [];
  if (award.meter !== null) {
    const meter = meters.find((each) => each.id === award.meter);
    parts.push(`${award.share_percent}% of ${meter?.name ?? award.meter}`);
  }
  if (award.bonus_cents > 0) {
    parts.push(`with ${pageMoney(award.bonus_cents)} bonus`);
  }
  if (award.paid_before_cents > 0) {
    parts.push(`${pageMoney(award.paid_before_cents)} paid before the peek`);
  }
  if (award.stake_returned_cents > 0) {
    parts.push(`and the stake of ${pageMoney(award.stake_returned_cents)}`);
  }
  if (award.tax_form !== null) {
    parts.push(award.tax_form);
  }
  return parts.join(" · ");
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
