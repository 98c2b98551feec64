// A section of the page: asks, draws what came, and says so where nothing came. It is drawn again only
// when something has changed, and never under the hands of whoever writes in it.

import { h } from "../kit/dom.js";
import { wasAborted } from "./service.js";

export class Section {
  #body;
  #drawn = "";

  constructor(id) {
    this.element = document.getElementById(id);
    this.#body = this.element.querySelector('[data-part="body"]') ?? this.element;
  }

  // Another day: what stood there is no longer what is asked for.
  wait() {
    this.#drawn = "";
    this.element.setAttribute("aria-busy", "true");
  }

  // load() asks; view(answer) gives elements.
  async show(load, view) {
    try {
      this.draw(await load(), view);
    } catch (error) {
      if (wasAborted(error)) {
        throw error;
      }
      this.#fail(error);
    }
  }

  draw(answer, view) {
    const text = JSON.stringify(answer);
    this.element.removeAttribute("aria-busy");
    if (text === this.#drawn || this.#isWrittenIn()) {
      return;
    }
    this.#drawn = text;
    this.#body.replaceChildren(
      ...[view(answer)].flat(2).filter((each) => each !== null && each !== undefined),
    );
  }

  #isWrittenIn() {
    return [...this.#body.querySelectorAll("textarea")].some(
      (field) => field.value !== "" || field === document.activeElement,
    );
  }

  #fail(error) {
    this.#drawn = "";
    this.element.removeAttribute("aria-busy");
    this.#body.replaceChildren(h("p", { class: "empty failed", role: "alert" }, error.message));
  }
}
