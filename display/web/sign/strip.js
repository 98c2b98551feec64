// The layout for LED strips: one line, big pixels. Meters stand side by side where they fit, else
// they take turns.

import { clock } from "./clock.js";
import { faceOf } from "./glyphs.js";
import { Reels } from "./reels.js";

const TURN_MS = 5000;
const NO_AMOUNT = "— — —";
const LEAST_PART = 0.6;
const PIXEL_ROWS = 9; // Seven of a numeral, and one of air above and below.

export class Strip {
  #root;
  #line;
  #tools;
  #items = []; // { id, element, name, reels }
  #turn = 0;

  constructor(root, tools) {
    this.#root = root;
    this.#tools = { ...tools, face: faceOf("pixel") };
    this.#line = document.createElement("dl");
    this.#line.id = "meters";
    root.append(this.#line);
    new ResizeObserver(() => this.#fit()).observe(root);
  }

  show(meters) {
    const ids = meters.map((meter) => meter.id).join();
    if (ids !== this.#items.map((item) => item.id).join() || this.#line.children.length === 0) {
      this.#rebuild(meters);
    }
    meters.forEach(({ name }, index) => {
      if (this.#items[index].name.textContent !== name) {
        this.#items[index].name.textContent = name;
        this.#fit();
      }
    });
  }

  beat() {
    this.#items.forEach(({ reels }) => reels.settle());
    const turn = Math.floor(clock.now() / TURN_MS);
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#takeTurns();
    }
  }

  #rebuild(meters) {
    for (const { id, reels } of this.#items) {
      this.#tools.amounts.detach(id, reels);
    }
    this.#items = meters.map(({ id }, rank) => this.#newItem(id, rank));
    this.#line.replaceChildren(...this.#items.map((item) => item.element));
    if (meters.length === 0) {
      this.#line.append(blank());
    }
    for (const { id, reels } of this.#items) {
      this.#tools.amounts.attach(id, reels);
    }
    this.#fit();
  }

  #newItem(id, rank) {
    const element = document.createElement("div");
    element.className = "meter";
    element.dataset.meter = id;
    element.dataset.rank = Math.min(rank, 3);
    const name = document.createElement("dt");
    name.className = "name";
    const amount = document.createElement("dd");
    const reels = new Reels({ ...this.#tools, onWidth: () => this.#fit() });
    amount.append(reels.element);
    element.append(name, amount);
    return { id, element, name, reels };
  }

  // Pixels of whole pixels: as large as the strip is high; smaller, to a point, if that brings all
  // meters side by side. If it does not they take turns, each as large as the widest of them can
  // be.
  #fit() {
    const most = Math.max(1, Math.floor(this.#root.clientHeight / PIXEL_ROWS));
    this.#items.forEach(({ element }) => (element.hidden = false));
    this.#line.classList.remove("turns");
    const room = this.#line.clientWidth;
    const together = () => this.#line.scrollWidth <= room;
    if (this.#enlarge(most, Math.ceil(most * LEAST_PART), together)) {
      return;
    }
    this.#line.classList.add("turns");
    this.#enlarge(most, 1, () => this.#items.every(({ element }) => element.offsetWidth <= room));
    this.#takeTurns();
  }

  #enlarge(most, least, fits) {
    for (let pixel = most; pixel >= least; pixel -= 1) {
      this.#line.style.setProperty("--numeral", `${pixel * PIXEL_ROWS}px`);
      if (fits()) {
        return true;
      }
    }
    return false;
  }

  #takeTurns() {
    const turns = this.#line.classList.contains("turns");
    this.#items.forEach(({ element }, index) => {
      element.hidden = turns && index !== this.#turn % this.#items.length;
    });
  }
}

function blank() {
  const element = document.createElement("div");
  element.className = "meter";
  element.dataset.meter = "";
  const amount = document.createElement("dd");
  amount.className = "amount blank";
  amount.textContent = NO_AMOUNT;
  element.append(amount);
  return element;
}
