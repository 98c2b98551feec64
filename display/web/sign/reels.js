// An amount as wheels with digits on them. A frame only turns wheels, by transforms: nothing is
// laid out again until the amount has another number of digits.

import { clock } from "./clock.js";

const SVG = "http://www.w3.org/2000/svg";
const SAID_EVERY_MS = 1000;
const QUICK_WHEELS = 5; // The last ones turn so often that each is worth a layer of its own.
const REST = 0.5; // A digit stands still for this part of its cent, then rolls.
const SET_IN_TYPE = 66; // Width of a mark that no face draws, and of a space.
const SPACE = 24;

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}

function paths(glyph, face, y) {
  return face.layers.map((layer) =>
    svg("path", {
      class: `${glyph.solid === undefined ? "stroke" : "solid"} ${layer}`,
      d: glyph.lines ?? glyph.solid,
      transform: `translate(${face.gap / 2} ${y})`,
    }),
  );
}

const eased = (turn) => {
  const part = Math.max(0, turn - REST) / (1 - REST);
  return part * part * (3 - 2 * part);
};

function box(className, wide, face) {
  const element = document.createElement("span");
  element.className = className;
  element.style.width = `${((wide + face.gap) / face.cell).toFixed(4)}em`;
  return element;
}

class Wheel {
  #strip;
  #at = -1;

  constructor(face, quick) {
    this.element = box(quick ? "wheel quick" : "wheel", face.wide, face);
    const high = face.cell * 11;
    this.#strip = svg("svg", { class: "strip", viewBox: `0 0 ${face.wide + face.gap} ${high}` });
    for (let row = 0; row <= 10; row += 1) {
      this.#strip.append(...paths(face.digits[row % 10], face, row * face.cell));
    }
    this.element.append(this.#strip);
  }

  // `at` is a digit, and how far it is on its way to the next.
  turnTo(at) {
    if (at !== this.#at) {
      this.#at = at;
      this.#strip.style.transform = `translate3d(0,${((-100 * at) / 11).toFixed(3)}%,0)`;
    }
  }
}

function mark(sign, face) {
  const glyph = face.marks[sign];
  if (glyph === undefined) {
    const element = box("mark type", /\s/.test(sign) ? SPACE : SET_IN_TYPE, face);
    element.dataset.mark = sign;
    return element;
  }
  const element = box("mark", glyph.wide, face);
  const drawing = svg("svg", { viewBox: `0 0 ${glyph.wide + face.gap} ${face.cell}` });
  drawing.append(...paths(glyph, face, 0));
  element.append(drawing);
  return element;
}

export class Reels {
  #face;
  #money;
  #onWidth;
  #rolls;
  #said;
  #row;
  #wheels = []; // The last digit first.
  #shape = "";
  #saidAt = -Infinity;
  #saidCents = null;

  // onWidth(ems) is told how wide the amount is, whenever that changes.
  constructor({ face, money, onWidth = () => {}, rolls = true }) {
    this.#face = face;
    this.#money = money;
    this.#onWidth = onWidth;
    this.#rolls = rolls;
    this.element = document.createElement("span");
    this.element.className = "amount";
    this.#row = document.createElement("span");
    this.#row.className = "reels";
    this.#row.ariaHidden = "true";
    this.#said = document.createElement("span");
    this.#said.className = "said";
    this.element.append(this.#row, this.#said);
  }

  // `cents` can be read, `turn` of the way to the next; `target` is the newest durable amount.
  show(cents, turn = 0, target = cents) {
    this.#layOut(cents);
    const { dataset } = this.element;
    dataset.cents = cents;
    dataset.targetCents = target;
    let rest = cents;
    let carried = this.#rolls ? eased(turn) : 0;
    for (const wheel of this.#wheels) {
      const digit = rest % 10;
      wheel.turnTo(digit + carried);
      // A wheel takes the next one along only on its way from 9 to 0.
      carried = digit === 9 ? carried : 0;
      rest = (rest - digit) / 10;
    }
    this.#say(target);
  }

  #layOut(cents) {
    const text = this.#money.exact(cents);
    const shape = text.replace(/\d/g, "0");
    if (shape === this.#shape) {
      return;
    }
    this.#shape = shape;
    let left = (shape.match(/0/g) ?? []).length;
    this.#wheels = [];
    const parts = [...shape].map((sign) => {
      if (sign !== "0") {
        return mark(sign, this.#face);
      }
      left -= 1;
      const wheel = new Wheel(this.#face, left < QUICK_WHEELS);
      this.#wheels.unshift(wheel);
      return wheel.element;
    });
    this.#row.replaceChildren(...parts);
    const ems = parts.reduce((sum, part) => sum + parseFloat(part.style.width), 0);
    this.element.style.setProperty("--ems", ems.toFixed(3));
    this.#onWidth(ems);
  }

  // For those who hear the sign: the true amount, at most once a second.
  #say(cents) {
    const now = clock.now();
    if (cents === this.#saidCents || now - this.#saidAt < SAID_EVERY_MS) {
      return;
    }
    this.#saidAt = now;
    this.#saidCents = cents;
    this.#said.textContent = this.#money.exact(cents);
  }

  // The beat catches up with what a second held back.
  settle() {
    if (this.element.dataset.targetCents !== undefined) {
      this.#say(Number(this.element.dataset.targetCents));
    }
  }
}
