// A question that must be answered first. Native <dialog>: the focus stays inside, Escape leaves,
// and the page behind is out of reach of mouse, finger and screen reader alike.

import { whileBusy } from "./buttons.js";
import { h, setText } from "./dom.js";

const SLOW_MS = 1500;
const WAITING = "No answer yet. It is sent again until there is one.";

let made = 0;

// ask({ title, body, fields, confirm, danger, send }): resolves to what `send(values)` gave, or to
// null if the person left. A field is { name, label, hint, type, required, minLength, maxLength,
// pattern, value, options }; options, [{ value, text }], make it a choice. While `send` runs the dialog stays; what it throws is shown, and may be tried
// again.
export function ask({ title, body = [], fields = [], confirm, danger = false, send }) {
  const id = `dialog-${++made}`;
  const problem = h("p", { class: "field-problem", role: "alert" });
  const inputs = fields.map((field) => fieldOf(field, id));
  const go = h("button", { class: danger ? "primary danger" : "primary", type: "submit" }, confirm);
  const leave = h("button", { type: "button" }, "Back");
  const form = h(
    "form",
    { method: "dialog", novalidate: true },
    h("h2", { id }, title),
    body,
    inputs.map((input) => input.element),
    problem,
    h("div", { class: "actions" }, leave, go),
  );
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id }, form);
  document.body.append(dialog);

  return new Promise((resolve) => {
    let result = null;
    leave.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const wrong = inputs.filter((input) => !input.check());
      if (wrong.length > 0) {
        wrong[0].control.focus();
        return;
      }
      await whileBusy(go, async () => {
        const slow = setTimeout(() => setText(problem, WAITING), SLOW_MS);
        try {
          setText(problem, "");
          const values = inputs.map(({ name, control }) => [name, valueOf(control)]);
          result = await send(Object.fromEntries(values));
          dialog.close();
        } catch (error) {
          setText(problem, error.message);
        } finally {
          clearTimeout(slow);
        }
      });
    });
    dialog.showModal();
    (inputs[0]?.control ?? (danger ? leave : go)).focus();
  });
}

// Spaces are part of a password; a file is given as it is.
function valueOf(control) {
  if (control.type === "file") {
    return control.files[0] ?? null;
  }
  return control.type === "password" ? control.value : control.value.trim();
}

function controlOf(type, options, attributes) {
  if (options !== undefined) {
    const choices = options.map(({ value, text }) => h("option", { value }, text));
    return h("select", { ...attributes, autocomplete: null }, choices);
  }
  return type === "textarea" ? h("textarea", attributes) : h("input", { ...attributes, type });
}

function fieldOf(field, dialogId) {
  const { name, label, hint, type = "text", required = false, value = "", ...limits } = field;
  const id = `${dialogId}-${name}`;
  const control = controlOf(type, limits.options, {
    id,
    name,
    required,
    autocomplete: "off",
    minlength: limits.minLength,
    maxlength: limits.maxLength,
    pattern: limits.pattern,
    inputmode: limits.inputMode,
    "aria-describedby": `${id}-hint ${id}-problem`,
  });
  if (type !== "file" && (value !== "" || limits.options === undefined)) {
    control.value = value;
  }
  const problem = h("p", { id: `${id}-problem`, class: "field-problem" });
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    control,
    h("p", { id: `${id}-hint`, class: "field-hint", hidden: !hint }, hint ?? ""),
    problem,
  );
  const check = () => {
    if (control.localName !== "select" && control.type !== "file") {
      control.value = valueOf(control);
    }
    const short = limits.minLength && control.value.length < limits.minLength;
    const valid = control.checkValidity() && !(required && short);
    control.setAttribute("aria-invalid", String(!valid));
    const why = short ? `At least ${limits.minLength} characters.` : control.validationMessage;
    setText(problem, valid ? "" : why);
    return valid;
  };
  return { name, control, element, check };
}
