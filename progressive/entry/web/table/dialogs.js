// The panel's questions: a seat's side bets, the amounts of a tap, and why a round is void.

import { ask } from "../kit/dialog.js";
import { h, setAttribute } from "../kit/dom.js";
import { askAmount } from "./amount_pad.js";
import { betPresets } from "./amounts.js";
import { short } from "./bases.js";
import { amountOf, lit, unlit } from "./draft.js";
import { betName } from "./words.js";

const REASONS = ["Card exposed", "Dealt out of turn", "Shuffler or shoe fault", "Wrong number of cards"];

// `other()`, where there is one, resolves to a value that is not among the options, or to null.
function choice(label, options, chosen, choose, other = null) {
  const buttons = options.map(({ text, value }) => keyOf(text, value === chosen, () => choose(value)));
  const press = (button) => {
    for (const each of buttons) {
      setAttribute(each, "aria-pressed", String(each === button));
    }
  };
  for (const button of buttons) {
    button.addEventListener("click", () => press(button));
  }
  if (other !== null) {
    const known = chosen === null || options.some(({ value }) => value === chosen);
    const button = keyOf(known ? "Other" : other.text(chosen), !known, async () => {
      const value = await other.ask();
      if (value !== null) {
        button.textContent = other.text(value);
        press(button);
        choose(value);
      }
    });
    buttons.push(button);
  }
  const group = h("div", { class: "choices", role: "group", "aria-label": label }, buttons);
  return h("section", { class: "choice" }, h("h3", {}, label), group);
}

function keyOf(text, pressed, act) {
  const attributes = { type: "button", class: "key", "aria-pressed": String(pressed), onclick: act };
  return h("button", attributes, text);
}

const inMoney = (cents) => ({ text: short(cents), value: cents });

// Any amount that a bet with a range takes.
function otherOf(bet, title) {
  const most = bet.max_cents ?? Number.MAX_SAFE_INTEGER;
  const pad = () => askAmount({ title, least: bet.min_cents, most });
  return { ask: pad, text: (cents) => `Other: ${short(cents)}` };
}

const mostAt = (table, bet) => (bet.capped_by_base_wager ? table.placing.limits.most : Infinity);

// What the next taps on lights mean, for bets that take a range.
export function askAmounts(table) {
  const amounts = { ...table.prefs.amounts };
  const body = table.bets
    .filter((bet) => bet.wager_cents === null)
    .map((bet) => {
      const presets = betPresets(bet, mostAt(table, bet)).map(inMoney);
      const set = (cents) => {
        amounts[bet.id] = cents;
      };
      const name = betName(bet);
      return choice(name, presets, amountOf(bet, table.prefs), set, otherOf(bet, name));
    });
  const use = () => {
    table.prefer({ amounts });
    return true;
  };
  return ask({ title: "Amounts of a tap", body, confirm: "Use these", send: use });
}

// The first tap on a light whose bet takes a range: how much, here and with the taps that follow.
export function askBet(table, seat, bet) {
  let amount = null;
  const presets = betPresets(bet, mostAt(table, bet)).map(inMoney);
  const set = (cents) => {
    amount = cents;
  };
  const title = `${betName(bet)}, seat ${seat}`;
  const body = [
    choice("Amount of this and the next taps", presets, null, set, otherOf(bet, title)),
  ];
  const light = () => {
    if (amount === null) {
      throw new Error("Choose an amount.");
    }
    table.prefer({ amounts: { ...table.prefs.amounts, [bet.id]: amount } });
    table.placing.setDraft(lit(table.work.draft, seat, bet, { amount_cents: amount, tender: "chip" }));
    return true;
  };
  return ask({ title, body, confirm: "Light it", send: light });
}

// The side bets of one seat, where they differ from the rest.
export function askSeat(table, seat) {
  let draft = table.work.draft;
  const most = table.placing.baseAt(seat)?.cents ?? table.placing.limits.most;
  const body = table.bets.map((bet) => {
    const now = draft[seat]?.bets[bet.id];
    const set = (wager) => {
      draft = wager === null ? unlit(draft, seat, bet) : lit(draft, seat, bet, wager);
    };
    return seatChoice(bet, seat, bet.capped_by_base_wager ? most : Infinity, now, set);
  });
  const use = () => {
    table.placing.setDraft(draft);
    return true;
  };
  return ask({ title: `Seat ${seat}`, body, confirm: "Set", send: use });
}

function seatChoice(bet, seat, most, now, set) {
  const off = { text: "Off", value: 0 };
  const name = betName(bet);
  if (bet.wager_cents === null) {
    const presets = betPresets(bet, most).map(inMoney);
    const chip = (cents) => set(cents === 0 ? null : { tender: "chip", amount_cents: cents });
    const other = otherOf(bet, `${name}, seat ${seat}`);
    return choice(name, [off, ...presets], now?.amount_cents ?? 0, chip, other);
  }
  const sum = short(bet.wager_cents);
  const tenders = ["chip", "coupon"].map((tender) => ({ text: `${sum} ${tender}`, value: tender }));
  const place = (tender) => set(tender === 0 ? null : { tender, amount_cents: bet.wager_cents });
  return choice(name, [off, ...tenders], now?.tender ?? 0, place);
}

export function askMisdeal(table) {
  let reason = REASONS[0];
  const body = [
    h("p", {}, "All side bets of this round go back, and the meters with them."),
    ...(table.state.round.void_needs_supervisor
      ? [h("p", {}, `It is voided in the name of ${table.supervisor.name}.`)]
      : []),
    choice("Reason", [...REASONS, "Other"].map((text) => ({ text, value: text })), reason, (value) => {
      reason = value;
    }),
  ];
  const fields = [{ name: "note", label: "In words", hint: "Needed for another reason.", maxLength: 400 }];
  return ask({
    title: "Misdeal",
    body,
    fields,
    confirm: "Void the round",
    danger: true,
    send: ({ note }) => {
      if (reason === "Other" && note.length < 3) {
        throw new Error("Say what happened.");
      }
      table.misdeal([reason, note].filter((part) => part !== "" && part !== "Other").join(": "));
      return true;
    },
  });
}
