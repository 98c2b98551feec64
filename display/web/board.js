// The rows of meters: name and amount. Text changes at once; sizes change only when an amount needs
// more room than any before it, so that nothing on the wall jumps.

const NO_AMOUNT = "— — —";
const ROOM_FOR_CENTS = 9999999;

export class Board {
  #list;
  #probe;
  #money;
  #rows = new Map(); // Meter id to { name, cents, element, amount }.
  #roomLength = 0;
  #roomEms = 0;

  // probe is an invisible amount of a fixed font size, to measure text with.
  constructor(list, probe, money) {
    this.#list = list;
    this.#probe = probe;
    this.#money = money;
    this.#makeRoom(money(ROOM_FOR_CENTS));
  }

  get empty() {
    return this.#rows.size === 0;
  }

  nameOf(id) {
    return this.#rows.get(id)?.name;
  }

  // True if these meters name every row.
  allIn(meters) {
    const ids = new Set(meters.map((meter) => meter.id));
    return !this.empty && [...this.#rows.keys()].every((id) => ids.has(id));
  }

  // Exactly these meters, in this order. Rows that stay keep their element, and so their highlight.
  replace(meters) {
    const before = this.#rows;
    this.#rows = new Map();
    for (const { id, name } of meters) {
      const row = before.get(id) ?? newRow(id);
      row.name = name;
      row.element.querySelector(".name").textContent = name;
      this.#rows.set(id, row);
    }
    const elements = [...this.#rows.values()].map((row) => row.element);
    if (this.empty) {
      const blank = newRow("");
      blank.amount.textContent = NO_AMOUNT;
      elements.push(blank.element);
    }
    const inPlace =
      elements.length === this.#list.children.length &&
      elements.every((element, index) => element === this.#list.children[index]);
    if (!inPlace) {
      this.#list.replaceChildren(...elements);
    }
    this.#list.dataset.rows = elements.length === 1 ? "one" : "many";
    this.#list.style.setProperty("--rows", elements.length);
    this.update(meters);
  }

  // New amounts for rows that are there; others are no concern of this board.
  update(meters) {
    for (const { id, cents } of meters) {
      const row = this.#rows.get(id);
      if (row === undefined || row.cents === cents) {
        continue;
      }
      const text = this.#money(cents);
      this.#makeRoom(text);
      row.amount.textContent = text;
      if (row.cents !== null && cents > row.cents) {
        highlight(row.amount);
      }
      row.cents = cents;
    }
  }

  // Measured, not guessed: what a digit's width is depends on the fonts of the machine. All digits
  // are equally wide, so only a longer text can be a wider one.
  #makeRoom(text) {
    if (text.length <= this.#roomLength) {
      return;
    }
    this.#probe.textContent = text;
    const fontSize = parseFloat(getComputedStyle(this.#probe).fontSize);
    this.#roomEms = Math.max(this.#roomEms, this.#probe.getBoundingClientRect().width / fontSize);
    this.#roomLength = text.length;
    this.#list.style.setProperty("--amount-ems", (this.#roomEms + 0.01).toFixed(3));
  }
}

function newRow(id) {
  const element = document.createElement("div");
  element.className = "meter";
  element.dataset.meter = id;
  const name = document.createElement("dt");
  name.className = "name";
  const amount = document.createElement("dd");
  amount.className = "amount";
  amount.addEventListener("animationend", () => amount.classList.remove("grew"));
  element.append(name, amount);
  return { name: "", cents: null, element, amount };
}

function highlight(amount) {
  amount.classList.add("grew");
  // A second growth within the fade starts the fade again.
  for (const animation of amount.getAnimations()) {
    animation.currentTime = 0;
  }
}
