// Approvals drawn as steps: who has signed, and which step waits.

import { h } from "../kit/dom.js";

// steps: [{ text, by }], by null while it waits.
export function stepsLine(steps) {
  const next = steps.findIndex((step) => !step.by);
  return h(
    "ol",
    { class: "steps-line" },
    steps.map((step, at) =>
      h(
        "li",
        { "data-done": Boolean(step.by), "data-next": at === next },
        h("span", { class: "dot", "aria-hidden": "true" }, step.by ? "✓" : String(at + 1)),
        h("span", {}, step.text, step.by
          ? h("span", { class: "who-signed" }, ` ${step.by}`)
          : h("span", { class: "visually-hidden" }, " waits")),
      ),
    ),
  );
}
