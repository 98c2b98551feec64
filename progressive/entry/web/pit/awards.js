// Awards as cards of a list: evidence, what they wait for, and the steps of whoever is signed in.

import { cardRow } from "../kit/cards.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { clockText } from "../kit/time.js";
import { evidenceOf } from "./evidence.js";
import { missingApprovals, stepsFor, waitsFor } from "./steps.js";
import { byRound, roundCard } from "./rounds.js";
import { statusWord } from "./words.js";

export class AwardList {
  #list;

  // take(step, award) does a step; confirmRound(round) confirms one; meterName(link, meter) is the meter's own name.
  constructor(container, { me, take, confirmRound, meterName }) {
    this.#list = new KeyedList(container, {
      key: (item) => item.key ?? item.award,
      make: (item) =>
        item.awards
          ? roundCard(item, { me, take, confirmRound })
          : awardCard(item, { me, take, meterName }),
    });
  }

  show(awards) {
    this.#list.show(byRound(awards));
  }
}

export function sheetUrl(award) {
  return `/sheet/${encodeURIComponent(award.award)}`;
}

// The sheet opens and asks to be printed by itself.
export function printSheet(award) {
  const sheet = window.open(sheetUrl(award));
  sheet?.addEventListener("load", () => sheet.print(), { once: true });
}

export function whatText(award, meterName) {
  return award.kind === "meter"
    ? `${meterName(award.link, award.meter)}, ${award.share_percent}% · ${award.line_name}`
    : `${award.bet} · ${award.line_name}`;
}

// How the net amount came about, where it is not simply the award; else empty. A two-card award that
// was paid before the peek is part of the line's amount, and is not paid twice.
export function sumText(award) {
  const parts = [pageMoney(award.amount_cents)];
  if (award.bonus_cents > 0) {
    parts.push(`+ ${pageMoney(award.bonus_cents)} bonus`);
  }
  if (award.paid_before_cents > 0) {
    parts.push(`− ${pageMoney(award.paid_before_cents)} paid before the peek`);
  }
  return parts.length > 1 ? parts.join(" ") : "";
}

export function whereText(award) {
  return `${award.table}, seat ${award.seat}`;
}

function awardCard(first, { me, take, meterName }) {
  const id = `award-${first.award}`;
  const amount = h("h3", { id, class: "amount" });
  const sum = h("span", { class: "sum" });
  const status = h("span", { class: "badge" });
  const tax = h("span", { class: "badge" });
  const what = h("p", { class: "what" });
  const place = h("p", { class: "quiet small" });
  const evidence = evidenceView(first);
  const signed = h("p", { class: "quiet small signed" });
  const waits = h("p", { class: "waits" });
  const steps = h("div", { class: "steps" });
  const sheet = h("a", { class: "button", href: sheetUrl(first), target: "_blank" }, "Sheet");
  const print = h("button", { type: "button", onclick: () => printSheet(first) }, "Print");
  const papers = h("div", { class: "papers" }, sheet, print);
  const element = h(
    "article",
    { class: "award", role: "listitem", "aria-labelledby": id, "data-award": first.award },
    h("div", { class: "head" }, amount, sum, status, tax, what, place),
    evidence.element,
    signed,
    waits,
    h("div", { class: "foot" }, steps, papers),
  );
  let drawn = null;
  let latest = first;

  const update = (award) => {
    const { text, kind } = statusWord(award);
    setAttribute(element, "data-status", award.void_proposed_by ? "disputed" : award.status);
    setText(amount, pageMoney(award.due_cents));
    setText(sum, sumText(award));
    setAttribute(sum, "hidden", sumText(award) === "");
    setText(status, text);
    setAttribute(status, "data-kind", kind);
    setText(tax, award.tax_form ?? "");
    setAttribute(tax, "hidden", award.tax_form === null);
    setText(what, whatText(award, meterName));
    const dealer = award.dealt_by === null ? "" : ` · dealt by ${award.dealt_by.name}`;
    const round = `round ${award.round}${dealer}`;
    setText(place, `${whereText(award)} · ${clockText(award.at)} · ${round}`);
    setText(signed, signatures(award));
    setText(waits, waitsFor(award, me));
    evidence.update(award);
    const offered = stepsFor(award, me);
    const mark = offered.map((step) => step.name).join(" ");
    // Buttons stay as they are while they mean the same, so that nobody presses another one.
    if (mark !== drawn) {
      drawn = mark;
      steps.replaceChildren(...offered.map((step) => stepButton(step, () => latest, take)));
    }
    latest = award;
  };
  return { element, update };
}

function stepButton(step, award, take) {
  const kind = step.danger ? "danger" : step.primary ? "primary" : null;
  const press = () => take(step, award());
  const attributes = { type: "button", class: kind, "data-step": step.name, onclick: press };
  return h("button", attributes, step.label);
}

function signatures(award) {
  const said = [];
  if (award.validated_by !== null) {
    said.push(`validated by ${award.validated_by.name}`);
  }
  if (award.approved_by.length > 0) {
    said.push(`approved by ${award.approved_by.map((each) => each.name).join(", ")}`);
  }
  if (award.status === "validated" && missingApprovals(award) > 0) {
    said.push(`${award.approved_by.length} of ${award.approvers} approvals`);
  }
  return said.join(" · ");
}

// Light, cards, order, meter before and after: what a supervisor compares with the table.
function evidenceView(first) {
  const fact = (label, ...value) =>
    h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, ...value));
  const cards = h("span", {}, "…");
  const up = h("span", {}, "…");
  const light = h("span", {}, "…");
  const order = h("span", {}, `${first.order}`);
  const before = h("money-amount");
  const after = h("money-amount");
  const meterFact = fact("Meter", before, " → ", after);
  const element = h(
    "dl",
    { class: "evidence" },
    fact("Cards of the seat", cards),
    fact("Dealer", up),
    fact("Light", light),
    fact("Order of payment", order),
    meterFact,
  );
  evidenceOf(first).then(
    ({ dealer, seat, wager, awards }) => {
      cards.replaceChildren(seat?.cards.length ? cardRow(seat.cards) : "not keyed");
      up.replaceChildren(dealer.length ? cardRow(dealer) : "not keyed");
      setText(light, wager ? `on: ${pageMoney(wager.amount_cents)} ${wager.tender}` : "none");
      setText(order, `${first.order} of ${awards}`);
    },
    () => [cards, up, light].forEach((part) => setText(part, "see the sheet")),
  );
  const update = (award) => {
    setAttribute(meterFact, "hidden", award.meter_before_cents === null);
    setAttribute(before, "cents", award.meter_before_cents);
    setAttribute(after, "cents", award.meter_after_cents);
  };
  return { element, update };
}
