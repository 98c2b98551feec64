// Wins, one after the other, each for its full time. The same award is announced once, however
// often a snapshot repeats it after a reconnect.

const SHOWN_MS = 15000;
const WAITING_MAX = 40;
const REMEMBERED_MAX = 500;

export class WinBanner {
  #element;
  #waiting = [];
  #announced = new Set();
  #timer = 0;

  constructor(element) {
    this.#element = element;
  }

  // win: { award, title, amount, place }, all but the award ready to be read.
  announce(win) {
    if (this.#announced.has(win.award)) {
      return;
    }
    this.#announced.add(win.award);
    if (this.#announced.size > REMEMBERED_MAX) {
      this.#announced.delete(this.#announced.values().next().value);
    }
    // Ten minutes of banners is the end of anyone's patience: then the oldest ones make room.
    this.#waiting.push(win);
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
    }
    if (this.#timer === 0) {
      this.#next();
    }
  }

  #next() {
    const win = this.#waiting.shift();
    this.#element.hidden = win === undefined;
    if (win === undefined) {
      this.#timer = 0;
      this.#element.replaceChildren();
      return;
    }
    const what = part("win-what");
    what.append(part("win-title", win.title), " ", part("win-amount", win.amount));
    const place = part("win-place", win.place);
    place.prepend(part("win-dash", "— "));
    this.#element.replaceChildren(what, " ", place);
    // The style sheet sizes the text by its length: on one line, or on two where the glass is tall.
    this.#element.style.setProperty("--line-length", this.#element.textContent.length);
    const halves = [what.textContent.length, win.place.length];
    this.#element.style.setProperty("--half-length", Math.max(...halves));
    this.#timer = setTimeout(() => this.#next(), SHOWN_MS);
  }
}

function part(name, text = "") {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}
