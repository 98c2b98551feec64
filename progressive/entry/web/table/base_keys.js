// The base wager of one seat after another: the seat that was tapped, or the first that has none.

import { h, setAttribute, setText } from "../kit/dom.js";
import { askAmount } from "./amount_pad.js";
import { basePresets } from "./amounts.js";
import { short } from "./bases.js";

export class BaseKeys {
  #table;
  #title = h("h2", {});
  #note = h("p", { class: "bases-note", role: "status" });
  #keys = h("div", { class: "number-pad", role: "group" });
  #presets = null;

  constructor(table) {
    this.#table = table;
    this.element = h("section", { class: "bases" }, h("header", {}, this.#title, this.#note), this.#keys);
  }

  update() {
    const table = this.#table;
    setAttribute(this.element, "hidden", !table.asksBases);
    if (!table.asksBases) {
      return;
    }
    this.#draw();
    const { keyingSeat: seat } = table;
    const open = seat !== null && table.takesBets;
    const fault = seat === null ? null : table.faultAt(seat);
    setAttribute(this.element, "data-fault", fault?.kind ?? null);
    setText(this.#note, noteOf(table, seat, fault));
    const title = seat === null ? "Base wagers" : `Base wager, seat ${seat}`;
    setText(this.#title, title);
    setAttribute(this.#keys, "aria-label", title);
    const cents = seat === null ? null : (table.baseAt(seat)?.cents ?? null);
    for (const button of this.#keys.children) {
      button.disabled = !open;
      setAttribute(button, "aria-pressed", String(Number(button.dataset.cents) === cents));
    }
  }

  #draw() {
    const presets = basePresets(this.#table.baseLimits);
    if (String(presets) === String(this.#presets)) {
      return;
    }
    this.#presets = presets;
    const keys = presets.map((cents) => {
      const key = () => this.#table.keyBase(this.#table.keyingSeat, cents);
      const attributes = { type: "button", class: "key", "data-cents": cents, "aria-label": short(cents) };
      return h("button", { ...attributes, onclick: key }, short(cents).replace(/^[^\d]+/, ""));
    });
    const other = { type: "button", class: "key other", onclick: () => this.#other() };
    this.#keys.replaceChildren(...keys, h("button", other, "Other"));
  }

  async #other() {
    const seat = this.#table.keyingSeat;
    const { least, most } = this.#table.baseLimits;
    const cents = await askAmount({ title: `Base wager, seat ${seat}`, least, most });
    if (cents !== null) {
      this.#table.keyBase(seat, cents);
    }
  }
}

function noteOf(table, seat, fault) {
  if (seat !== null) {
    return fault?.text ?? "";
  }
  return table.askedSeats.length > 0 ? "Tap a seat to change one" : "";
}

// For the button that confirms them: "25 · 25 · 50".
export function basesAsShown(table) {
  const shown = table.askedSeats.map((seat) => short(table.baseAt(seat).cents).replace(/^[^\d]+/, ""));
  return shown.length === 0 ? "" : `Base wagers as shown: ${shown.join("\u00a0· ")}`;
}

