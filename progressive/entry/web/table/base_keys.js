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
    const { placing, takesBets } = this.#table;
    setAttribute(this.element, "hidden", !placing.asksBases);
    if (!placing.asksBases) {
      return;
    }
    this.#draw();
    const seat = placing.keyingSeat;
    const open = seat !== null && takesBets;
    const fault = seat === null ? null : placing.faultAt(seat);
    setAttribute(this.element, "data-fault", fault?.kind ?? null);
    setText(this.#note, noteOf(placing, seat, fault));
    const title = seat === null ? "Base wagers" : `Base wager, seat ${seat}`;
    setText(this.#title, title);
    setAttribute(this.#keys, "aria-label", title);
    const cents = seat === null ? null : (placing.baseAt(seat)?.cents ?? null);
    for (const button of this.#keys.children) {
      button.disabled = !open;
      setAttribute(button, "aria-pressed", String(Number(button.dataset.cents) === cents));
    }
  }

  #draw() {
    const { placing } = this.#table;
    const presets = basePresets(placing.limits);
    if (String(presets) === String(this.#presets)) {
      return;
    }
    this.#presets = presets;
    const keys = presets.map((cents) => {
      const key = () => placing.keyBase(placing.keyingSeat, cents);
      const attributes = { type: "button", class: "key", "data-cents": cents, "aria-label": short(cents) };
      return h("button", { ...attributes, onclick: key }, bare(cents));
    });
    const other = { type: "button", class: "key other", onclick: () => this.#other() };
    this.#keys.replaceChildren(...keys, h("button", other, "Other"));
  }

  async #other() {
    const { placing } = this.#table;
    const seat = placing.keyingSeat;
    const { least, most } = placing.limits;
    const cents = await askAmount({ title: `Base wager, seat ${seat}`, least, most });
    if (cents !== null) {
      placing.keyBase(seat, cents);
    }
  }
}

function noteOf(placing, seat, fault) {
  if (seat !== null) {
    return fault?.text ?? "";
  }
  return placing.askedSeats.length > 0 ? "Tap a seat to change one" : "";
}

// Without the currency: there is no room on a key.
function bare(cents) {
  return short(cents).replace(/^\D+/, "");
}

// For the button that confirms them: "25 · 25 · 50".
export function basesAsShown(placing) {
  const shown = placing.askedSeats.map((seat) => bare(placing.baseAt(seat).cents));
  return shown.length === 0 ? "" : `Base wagers as shown: ${shown.join("\u00a0· ")}`;
}

