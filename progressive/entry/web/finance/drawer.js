// A drawer at the edge of the page: a modal dialog of its own, closed by Escape, its button, or a
// press beside it. The focus goes back to where it was opened from.

import { h } from "../kit/dom.js";

let made = 0;

// openDrawer({ title, lead, content }) -> { element, content, close }.
export function openDrawer({ title, lead = "", content = [], wide = false, closed = () => {} }) {
  const id = `drawer-${++made}`;
  const body = h(
    "div",
    { class: "content", tabindex: "0", role: "region", "aria-labelledby": id },
    content,
  );
  const leave = h("button", { type: "button", class: "plain", "aria-label": "Close" }, "✕");
  const element = h(
    "dialog",
    { class: wide ? "drawer wide" : "drawer", "aria-labelledby": id },
    h(
      "div",
      { class: "frame" },
      h(
        "header",
        {},
        h(
          "div",
          {},
          h("h2", { id }, title),
          lead === "" ? null : h("p", { class: "quiet small" }, lead),
        ),
        leave,
      ),
      body,
    ),
  );
  const close = () => element.close();
  leave.addEventListener("click", close);
  element.addEventListener("click", (event) => event.target === element && close());
  element.addEventListener("close", () => {
    element.remove();
    closed();
  });
  document.body.append(element);
  element.showModal();
  leave.focus();
  return { element, content: body, close };
}
