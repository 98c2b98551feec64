// <theme-switch>: light, dark, or as the machine has it; remembered on this machine. Loaded with
// blocking="render", so that a dark pit is not lit up by a white page first.

import { h } from "./dom.js";

const KEY = "progressive.theme";
const THEMES = ["auto", "light", "dark"];
const LABELS = { auto: "Auto", light: "Light", dark: "Dark" };

function remembered() {
  const theme = localStorage.getItem(KEY);
  return THEMES.includes(theme) ? theme : "auto";
}

function apply(theme) {
  if (theme === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

export class ThemeSwitch extends HTMLElement {
  connectedCallback() {
    const label = h("span", { class: "label" }, LABELS[remembered()]);
    const button = h(
      "button",
      { type: "button", class: "plain", onclick: () => this.#next(label) },
      h("span", { class: "visually-hidden" }, "Theme: "),
      h("span", { "aria-hidden": "true" }, "◐"),
      label,
    );
    this.replaceChildren(button);
  }

  #next(label) {
    const theme = THEMES[(THEMES.indexOf(remembered()) + 1) % THEMES.length];
    localStorage.setItem(KEY, theme);
    apply(theme);
    label.textContent = LABELS[theme];
  }
}

apply(remembered());
// Another tab's switch is this tab's too.
window.addEventListener("storage", (event) => event.key === KEY && apply(remembered()));
customElements.define("theme-switch", ThemeSwitch);
