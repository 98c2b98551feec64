// The layout of amounts on a screen of any shape: the first meter is the hero, the others follow it
// in size. Sizes change only when an amount needs more room, so that nothing on the wall jumps.

import { Reels } from "./reels.js";

const NO_AMOUNT = "— — —";
const USUAL_CENTS = 9999999; // Room for $99,999.99 from the start.

export class Board {
  #list;
  #tools;
  #rows = new Map(); // Meter id to { element, name, reels }.
  #room = { hero: 0, rest: 0 };

  constructor(root, tools) {
    this.#tools = tools;
    this.#list = document.createElement("dl");
    this.#list.id = "meters";
    root.append(this.#list);
    const usual = new Reels({ ...tools, onWidth: (ems) => this.#makeRoom("rest", ems) });
    usual.show(USUAL_CENTS);
    this.#makeRoom("hero", this.#room.rest);
  }

  // Exactly these meters, in this order. Rows that stay keep their element.
  show(meters) {
    const ids = meters.map((meter) => meter.id);
    if (ids.join() !== [...this.#rows.keys()].join() || this.#list.children.length === 0) {
      this.#rebuild(ids);
    }
    for (const { id, name } of meters) {
      const row = this.#rows.get(id);
      if (row.name.textContent !== name) {
        row.name.textContent = name;
        row.element.style.setProperty("--letters", [...name].length);
      }
    }
  }

  beat() {
    for (const { reels } of this.#rows.values()) {
      reels.settle();
    }
  }

  #rebuild(ids) {
    for (const [id, row] of this.#rows) {
      this.#tools.amounts.detach(id, row.reels);
    }
    const before = this.#rows;
    this.#rows = new Map(ids.map((id) => [id, before.get(id) ?? this.#newRow(id)]));
    const elements = [...this.#rows.values()].map((row, rank) => {
      row.element.dataset.rank = Math.min(rank, 3);
      this.#makeRoom(rank === 0 ? "hero" : "rest", row.ems);
      return row.element;
    });
    if (ids.length === 0) {
      elements.push(blankRow());
    }
    this.#list.replaceChildren(...elements);
    this.#list.dataset.count = Math.min(Math.max(ids.length, 1), 7);
    for (const [id, row] of this.#rows) {
      this.#tools.amounts.attach(id, row.reels);
    }
  }

  #newRow(id) {
    const element = row(id);
    const made = { element, name: element.querySelector(".name"), ems: 0 };
    made.reels = new Reels({
      ...this.#tools,
      onWidth: (ems) => {
        made.ems = ems;
        this.#makeRoom(element.dataset.rank === "0" ? "hero" : "rest", ems);
      },
    });
    const amount = document.createElement("dd");
    amount.append(made.reels.element);
    element.append(amount);
    return made;
  }

  // The hero has room of its own; all others share that of the widest of them.
  #makeRoom(who, ems) {
    if (ems > this.#room[who]) {
      this.#room[who] = ems;
      this.#list.style.setProperty(`--${who}-ems`, ems.toFixed(3));
    }
  }
}

function row(id) {
  const element = document.createElement("div");
  element.className = "meter";
  element.dataset.meter = id;
  const title = document.createElement("dt");
  const name = document.createElement("span");
  name.className = "name";
  title.append(name);
  element.append(title);
  return element;
}

function blankRow() {
  const element = row("");
  element.dataset.rank = 0;
  const amount = document.createElement("dd");
  const dashes = document.createElement("span");
  dashes.className = "amount blank";
  dashes.textContent = NO_AMOUNT;
  amount.append(dashes);
  element.append(amount);
  return element;
}
