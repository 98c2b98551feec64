// Any amount, digit by digit: where the presets do not have it.

import { ask } from "../kit/dialog.js";
import { h, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { centsOf, typed } from "./amounts.js";
import { inWords } from "./bases.js";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "0", "back"];

// Resolves to whole cents from `least` to `most`, or to null if the dealer left.
export function askAmount({ title, least, most }) {
  let entry = "";
  const amount = h("output", { class: "pad-amount", "aria-live": "polite" });
  const key = (name) => {
    entry = typed(entry, name);
    show();
  };
  const show = () => {
    setText(amount, entry === "" ? "—" : pageMoney(centsOf(entry)));
    const inRange = entry === "" || (centsOf(entry) >= least && centsOf(entry) <= most);
    setAttribute(amount, "data-wrong", !inRange);
  };
  const keys = KEYS.map((name) => {
    const label = name === "back" ? "Delete" : name === "." ? "Point" : null;
    const attributes = { type: "button", class: "key", "aria-label": label, onclick: () => key(name) };
    return h("button", attributes, name === "back" ? "⌫" : name);
  });
  const send = () => {
    const cents = centsOf(entry) ?? 0;
    if (cents < least || cents > most) {
      throw new Error(`Key ${inWords(least, most)}.`);
    }
    return cents;
  };
  show();
  const body = [
    h("p", { class: "pad-limits" }, inWords(least, most)),
    amount,
    h("div", { class: "pad-keys", role: "group", "aria-label": "Digits" }, keys),
  ];
  const answer = ask({ title, body, confirm: "Enter", send });
  amount.closest("dialog").classList.add("amount-pad");
  amount.closest("dialog").addEventListener("keydown", (event) => {
    const name = event.key === "Backspace" ? "back" : event.key;
    if (KEYS.includes(name)) {
      key(name);
    }
  });
  return answer;
}
