// Rounds whose payouts a supervisor confirms before the rack pays them: one card and one tap a round.
// And rounds that are locked, where the terms leave their void to a supervisor.

import { post } from "../kit/api.js";
import { whileBusy } from "../kit/buttons.js";
import { cardRow } from "../kit/cards.js";
import { ask } from "../kit/dialog.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { clockText } from "../kit/time.js";
import { toast } from "../kit/toast.js";
import { evidenceOf } from "./evidence.js";
import { REASON } from "./reason.js";
import { step } from "./steps.js";

const awaitsRound = (award) =>
  award.pays_from === "rack" && award.status === "pending" && award.void_proposed_by === null;

// The awards in their order; those that wait for their round's confirmation as one item a round.
export function byRound(awards) {
  const items = [];
  const rounds = new Map();
  for (const award of awards) {
    if (!awaitsRound(award)) {
      items.push(award);
      continue;
    }
    const key = `round ${award.link} ${award.table} ${award.round}`;
    if (!rounds.has(key)) {
      rounds.set(key, { key, table: award.table, round: award.round, awards: [] });
      items.push(rounds.get(key));
    }
    rounds.get(key).awards.push(award);
  }
  return items;
}

const at = ({ table, round }) =>
  `/v1/tables/${encodeURIComponent(table)}/rounds/${encodeURIComponent(round)}`;

const total = (awards) => pageMoney(awards.reduce((sum, award) => sum + award.due_cents, 0));

export function roundSteps() {
  return {
    confirmRound: async (round) => {
      try {
        const awards = round.awards.map((award) => award.award);
        await post(`${at(round)}/validate`, { awards });
        toast(`Confirmed: ${round.table} pays ${total(round.awards)} from the rack.`, { kind: "good" });
      } catch (error) {
        toast(error.message, { kind: "bad" });
      }
    },
    voidRound: (table) =>
      ask({
        title: `Void round ${table.round} at ${table.id}?`,
        body: [h("p", {}, "All side bets of this round go back, and the meters with them.")],
        fields: [REASON],
        confirm: "Void the round",
        danger: true,
        send: ({ reason }) => post(`${at({ table: table.id, round: table.round })}/void`, { reason }),
      }),
  };
}

export function roundCard(first, { me, take, confirmRound }) {
  const id = `round-${first.table}-${first.round}`;
  let latest = first;
  const amount = h("h3", { id, class: "amount" });
  const place = h("p", { class: "quiet small" });
  const list = h("ul", { class: "round-payouts" });
  const rows = new KeyedList(list, {
    key: (award) => award.award,
    make: (award) => payoutRow(award, { me, take }),
  });
  const waits = h("p", { class: "waits" });
  const confirm = h("button", { type: "button", class: "primary", "data-step": "validateRound" },
    "Lights and cards are right: pay");
  confirm.addEventListener("click", () => whileBusy(confirm, () => confirmRound(latest)));
  const sheet = h("a", { class: "button", target: "_blank" }, "Sheet");
  const element = h(
    "article",
    { class: "award", role: "listitem", "aria-labelledby": id, "data-status": "pending", "data-round": first.round },
    h("div", { class: "head" }, amount, h("span", { class: "badge", "data-kind": "warn" }, "To confirm"),
      h("p", { class: "what" }, "From the rack, once a supervisor has confirmed the round"), place),
    list,
    waits,
    h("div", { class: "foot" }, h("div", { class: "steps" }, confirm), h("div", { class: "papers" }, sheet)),
  );
  const update = (round) => {
    latest = round;
    const [award] = round.awards;
    const dealt = award.dealt_by;
    const mine = dealt !== null && dealt.name.trim().toLowerCase() === me.user.trim().toLowerCase();
    setText(amount, total(round.awards));
    const by = dealt === null ? "" : ` · dealt by ${dealt.name}`;
    setText(place, `${round.table} · ${clockText(award.at)} · round ${round.round}${by}`);
    rows.show(round.awards);
    setAttribute(confirm, "hidden", mine || !me.may("validate_award"));
    setText(waits, mine ? "A supervisor confirms it; not you, you dealt." : "A supervisor checks lights and cards.");
    setAttribute(sheet, "href", `/sheet/${encodeURIComponent(award.award)}`);
  };
  return { element, update };
}

function payoutRow(first, { me, take }) {
  let latest = first;
  const text = h("span");
  const cards = h("span", {}, "…");
  evidenceOf(first).then(
    ({ seat }) => cards.replaceChildren(seat?.cards.length ? cardRow(seat.cards) : "not keyed"),
    () => setText(cards, "see the sheet"),
  );
  const doubt = h("button", { type: "button", class: "danger", hidden: !me.may("propose_void") }, "Void…");
  doubt.addEventListener("click", () => take(step("proposeVoid"), latest));
  const update = (award) => {
    latest = award;
    setText(text, `Seat ${award.seat} · ${award.line_name} · ${pageMoney(award.due_cents)}`);
  };
  return { element: h("li", { "data-award": first.award }, text, cards, doubt), update };
}
