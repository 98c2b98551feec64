// <contact-state>: whether what this page shows is what the service says now. Never color alone.

import { setText } from "./dom.js";
import { clockText } from "./time.js";

export class ContactState extends HTMLElement {
  #since = null;

  connectedCallback() {
    this.setAttribute("role", "status");
    if (!this.dataset.contact) {
      this.#show("connecting", "Connecting");
    }
  }

  live() {
    this.#since = null;
    this.#show("live", "Live");
  }

  // Contact was lost, now or earlier; the time of the first loss stays.
  lost() {
    if (this.dataset.contact === "connecting") {
      return;
    }
    this.#since ??= Date.now();
    this.#show("lost", `No contact since ${clockText(this.#since)}`);
  }

  #show(contact, text) {
    this.dataset.contact = contact;
    setText(this, text);
  }
}

customElements.define("contact-state", ContactState);
