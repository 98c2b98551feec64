// Making and changing elements. Text is always text: nothing here takes markup.

// h("button", { class: "primary", onclick: act, "data-award": id }, "Pay"): handlers by "on…",
// everything else is an attribute; null, undefined and false leave it out.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      setAttribute(element, name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Only where it differs, so that a screen reader hears changes and observers sleep.
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value === true ? "" : value);
  }
}

// Children by key: those that stay keep their element, and with it the focus of whoever is there.
// make(item) gives { element, update(item) }.
export class KeyedList {
  #parent;
  #key;
  #make;
  #parts = new Map();

  constructor(parent, { key, make }) {
    this.#parent = parent;
    this.#key = key;
    this.#make = make;
  }

  show(items) {
    const before = this.#parts;
    this.#parts = new Map();
    for (const item of items) {
      const key = this.#key(item);
      const part = before.get(key) ?? this.#make(item);
      part.update(item);
      this.#parts.set(key, part);
    }
    for (const [key, part] of before) {
      if (!this.#parts.has(key)) {
        part.element.remove();
      }
    }
    // Moving an element takes the focus from it: only what stands in the wrong place is moved.
    let place = this.#parent.firstElementChild;
    for (const { element } of this.#parts.values()) {
      if (element === place) {
        place = place.nextElementSibling;
      } else {
        this.#parent.insertBefore(element, place);
      }
    }
  }
}
