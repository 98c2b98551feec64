// A button that must be held: what it does cannot be undone, so a brush of the hand does nothing.
// A finger, a mouse, Enter and Space all hold it. Whoever cannot hold (a screen reader's click comes
// without a press) is asked instead.

import { ask } from "./dialog.js";
import { h, setAttribute, setText } from "./dom.js";

const HOLD_MS = 600;
const KEYS = new Set(["Enter", " "]);

export class HoldButton {
  #label = h("span", { class: "hold-label" });
  #hint = h("span", { class: "hold-hint" });
  #timer = 0;
  #pressed = false;
  #enabled = true;
  #question = "";
  #act;

  // act() is called once it was held long enough.
  constructor(act, { kind = "primary", id = null } = {}) {
    this.#act = act;
    this.element = h(
      "button",
      { type: "button", class: `hold ${kind}`, id },
      h("span", { class: "hold-fill", "aria-hidden": "true" }),
      this.#label,
      this.#hint,
    );
    const { element } = this;
    element.addEventListener("pointerdown", (event) => event.button === 0 && this.#press());
    for (const name of ["pointerup", "pointerleave", "pointercancel", "blur", "keyup"]) {
      element.addEventListener(name, () => this.#release());
    }
    element.addEventListener("keydown", (event) => {
      if (KEYS.has(event.key)) {
        // Its own click would come on top.
        event.preventDefault();
        if (!event.repeat) {
          this.#press();
        }
      }
    });
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  update({ label, hint = "Hold", enabled, question = label }) {
    setText(this.#label, label);
    setText(this.#hint, hint);
    setAttribute(this.element, "aria-disabled", enabled ? null : "true");
    this.#question = question;
    this.#enabled = enabled;
    if (!enabled) {
      this.#release();
    }
  }

  #press() {
    if (!this.#enabled || this.#timer !== 0) {
      return;
    }
    this.#pressed = true;
    this.element.classList.add("holding");
    this.#timer = setTimeout(() => {
      this.#release();
      this.#act();
    }, HOLD_MS);
  }

  #release() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.element.classList.remove("holding");
  }

  async #click(event) {
    const pressed = this.#pressed;
    this.#pressed = false;
    if (pressed || event.detail > 0 || !this.#enabled) {
      return;
    }
    const yes = { title: `${this.#question}?`, confirm: this.#question, send: () => true };
    if ((await ask(yes)) && this.#enabled) {
      this.#act();
    }
  }
}
