// The desk while bets are placed: base wagers, the count of chips, and the lock-out that confirms
// both. Lights and chips are not compared here: the count is the dealer's own, the service compares
// it with the lights (N.J.A.C. 13:69E-1.10(t)2) and records a difference.

import { h, setAttribute, setText } from "../kit/dom.js";
import { BaseKeys, basesAsShown } from "./base_keys.js";
import { short } from "./bases.js";
import { amountOf, draftOf } from "./draft.js";
import { HoldButton } from "../kit/hold.js";
import { betName, count } from "./words.js";

export class BettingDesk {
  #table;
  #again;
  #clear;
  #amounts;
  #bases;
  #count;
  #lock;

  constructor(table, { setAmounts }) {
    this.#table = table;
    this.#lock = new HoldButton(() => table.lock(), { id: "lock" });
    this.#bases = new BaseKeys(table);
    this.#count = new ChipCount(table);
    const again = () => table.placing.setDraft(draftOf(table.work.before, table.bets));
    this.#again = h("button", { type: "button", onclick: again }, "Same again");
    this.#clear = h("button", { type: "button", onclick: () => table.placing.setDraft({}) }, "All off");
    this.#amounts = h("button", { type: "button", class: "amounts", onclick: setAmounts });
    this.element = h(
      "div",
      { class: "desk-view betting" },
      h("div", { class: "desk-tools" }, this.#again, this.#clear, this.#amounts),
      this.#bases.element,
      this.#count.element,
      this.#lock.element,
    );
  }

  update() {
    const table = this.#table;
    const { takesBets } = table;
    const placed = table.wagers.length;
    this.#bases.update();
    this.#count.update();
    this.#again.disabled = !takesBets || table.work.before.length === 0;
    this.#clear.disabled = !takesBets || placed === 0;
    this.#showAmounts();
    const { mayLock } = table.placing;
    const bases = mayLock ? basesAsShown(table.placing) : "";
    this.#lock.update({
      label: "Lock out",
      hint: [lockHint(table, placed), bases].filter((part) => part !== "").join("\n"),
      enabled: mayLock,
      question: ["Lock out the side bets", bases].filter((part) => part !== "").join(". "),
    });
  }

  // What a tap lights where a bet takes a range; or the amounts of the seat that is chosen.
  #showAmounts() {
    const table = this.#table;
    const ranged = table.bets.filter((bet) => bet.wager_cents === null);
    setAttribute(this.#amounts, "hidden", ranged.length === 0);
    this.#amounts.disabled = !table.takesBets;
    const seat = table.placing.chosenSeat;
    const parts = ranged.map((bet) => {
      const cents = amountOf(bet, table.prefs);
      return `${betName(bet)} ${cents === null ? "?" : short(cents)}`;
    });
    setText(this.#amounts, seat === null ? parts.join(" · ") : `Seat ${seat} bets`);
    const name = seat === null ? `Amounts of a tap: ${parts.join(", ")}` : `Seat ${seat}: side bets`;
    setAttribute(this.#amounts, "aria-label", name);
  }
}

// The chips on the acceptors, as the dealer counts them.
class ChipCount {
  #table;
  #keys = [];
  #pad = h("div", { class: "number-pad", role: "group", "aria-label": "Chips counted" });
  #verdict = h("p", { class: "count-verdict", role: "alert" });

  constructor(table) {
    this.#table = table;
    this.element = h("section", { class: "count" }, h("h2", {}, "Chips counted"), this.#pad, this.#verdict);
  }

  update() {
    const table = this.#table;
    const { counted, mismatch } = table.work;
    setAttribute(this.element, "hidden", !table.placing.countsChips);
    this.#draw();
    this.#keys.forEach((button, number) => {
      setAttribute(button, "aria-pressed", String(counted === number));
      button.disabled = !table.takesBets;
    });
    setAttribute(this.#verdict, "hidden", mismatch === null);
    setText(this.#verdict, mismatch === null ? "" : `${mismatch}. Look and count again. This is on record.`);
  }

  #draw() {
    const table = this.#table;
    const acceptors = table.bets.filter((bet) => bet.meters.length > 0).length;
    const most = table.state.seats * acceptors;
    while (this.#keys.length > most + 1) {
      this.#keys.pop().remove();
    }
    while (this.#keys.length < most + 1) {
      const number = this.#keys.length;
      const choose = () => table.placing.countChips(number);
      const button = h("button", { type: "button", class: "key", onclick: choose }, String(number));
      this.#keys.push(button);
      this.#pad.append(button);
    }
  }
}

function lockHint(table, placed) {
  if (!table.inContact) {
    return "No contact";
  }
  const { fault, seatAtFault, countsChips, chipsCounted } = table.placing;
  if (fault !== null) {
    const what = fault.kind === "missing" ? "Key the base wager of" : "Put right:";
    return `${what} seat ${seatAtFault}`;
  }
  if (chipsCounted === null) {
    return "Count the chips on the acceptors";
  }
  const bets = placed === 0 ? "nobody bets" : count(placed, "bet");
  return countsChips ? `Hold: ${bets}, ${count(chipsCounted, "chip")}` : `Hold: ${bets}`;
}
