// Short notes at the foot of the page. Read aloud once; a bad one stays until it is put away.

import { h } from "./dom.js";

const SHOWN_MS = 6000;
const SHOWN_MAX = 5;

// Over an open dialog too: the stack is a popover, in the browser's top layer.
class ToastStack extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
    this.setAttribute("popover", "manual");
  }
}

customElements.define("toast-stack", ToastStack);

// kind: null, "good" or "bad".
export function toast(text, { kind = null, shownMs = SHOWN_MS } = {}) {
  const stack = stackOfPage();
  const note = h("div", { class: "toast", "data-kind": kind }, h("span", {}, text));
  const away = () => {
    note.remove();
    if (stack.childElementCount === 0 && stack.matches(":popover-open")) {
      stack.hidePopover();
    }
  };
  const dismiss = { class: "plain", type: "button", "aria-label": "Dismiss", onclick: away };
  note.append(h("button", dismiss, "✕"));
  stack.append(note);
  while (stack.childElementCount > SHOWN_MAX) {
    stack.firstElementChild.remove();
  }
  // Shown again, it stands above a dialog that was opened since.
  if (stack.matches(":popover-open")) {
    stack.hidePopover();
  }
  stack.showPopover();
  if (kind !== "bad") {
    setTimeout(away, shownMs);
  }
  return note;
}

function stackOfPage() {
  let stack = document.querySelector("toast-stack");
  if (stack === null) {
    stack = document.createElement("toast-stack");
    document.body.append(stack);
  }
  return stack;
}
