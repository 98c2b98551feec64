// The panel's questions: a seat's amounts, the amounts of a tap, and why a round is void.

import { ask } from "../kit/dialog.js";
import { h, setAttribute } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { BASE_PRESETS, betPresets } from "./amounts.js";
import { amountOf, lit, unlit, withBase } from "./draft.js";
import { betName } from "./words.js";

const REASONS = ["Card exposed", "Dealt out of turn", "Shuffler or shoe fault", "Wrong number of cards"];

function choice(label, options, chosen, choose) {
  const buttons = options.map(({ text, value }) => {
    const button = h("button", { type: "button", class: "key", "aria-pressed": String(value === chosen) }, text);
    button.addEventListener("click", () => {
      for (const each of buttons) {
        setAttribute(each, "aria-pressed", String(each === button));
      }
      choose(value);
    });
    return button;
  });
  const group = h("div", { class: "choices", role: "group", "aria-label": label }, buttons);
  return h("section", { class: "choice" }, h("h3", {}, label), group);
}

const inMoney = (cents) => ({ text: pageMoney(cents).replace(/\.00$/, ""), value: cents });

// What the next taps on lights mean.
export function askAmounts(table) {
  const prefs = { ...table.prefs, amounts: { ...table.prefs.amounts } };
  const body = [
    choice("Base wager", BASE_PRESETS.map(inMoney), prefs.base_cents, (cents) => {
      prefs.base_cents = cents;
    }),
    ...table.bets
      .filter((bet) => bet.wager_cents === null)
      .map((bet) =>
        choice(betName(bet), betPresets(bet).map(inMoney), amountOf(bet, prefs), (cents) => {
          prefs.amounts[bet.id] = cents;
        }),
      ),
  ];
  const use = () => {
    table.prefer(prefs);
    return true;
  };
  return ask({ title: "Amounts of a tap", body, confirm: "Use these", send: use });
}

// One seat, where it differs from the rest.
export function askSeat(table, seat) {
  let draft = table.work.draft;
  const base = draft[seat]?.base_cents ?? table.prefs.base_cents;
  let chosenBase = base;
  const body = [
    choice("Base wager", BASE_PRESETS.map(inMoney), base, (cents) => {
      chosenBase = cents;
      draft = withBase(draft, seat, cents);
    }),
    ...table.bets.map((bet) => {
      const now = draft[seat]?.bets[bet.id];
      return choice(betName(bet), optionsOf(bet), now ? keyOf(now) : "off", (value) => {
        const prefs = { ...table.prefs, base_cents: chosenBase };
        draft =
          value === "off"
            ? unlit(draft, seat, bet)
            : lit(draft, seat, bet, wagerOf(value), prefs);
      });
    }),
  ];
  const set = () => {
    table.setDraft(draft);
    return true;
  };
  return ask({ title: `Seat ${seat}`, body, confirm: "Set", send: set });
}

function optionsOf(bet) {
  const off = { text: "Off", value: "off" };
  if (bet.wager_cents === null) {
    return [off, ...betPresets(bet).map((cents) => ({ text: inMoney(cents).text, value: `chip ${cents}` }))];
  }
  const sum = inMoney(bet.wager_cents).text;
  return [
    off,
    { text: `${sum} chip`, value: `chip ${bet.wager_cents}` },
    { text: `${sum} coupon`, value: `coupon ${bet.wager_cents}` },
  ];
}

const keyOf = ({ tender, amount_cents }) => `${tender} ${amount_cents}`;

function wagerOf(value) {
  const [tender, cents] = value.split(" ");
  return { tender, amount_cents: Number(cents) };
}

export function askMisdeal(table) {
  let reason = REASONS[0];
  const body = [
    h("p", {}, "All side bets of this round go back, and the meters with them."),
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
