// The celebration of a win: who won what, counted up to the exact amount; then the meter as it
// grows again, or goes on after a share of it. It comes at once, yields by itself, and never flashes.
// An award of nothing, or of less than was wagered for it, is not celebrated: it is not shown.

import { clock } from "./clock.js";
import { percentText } from "./numbers.js";
import { Reels } from "./reels.js";
import { Schedule } from "./schedule.js";

const COUNT_MS = 1800;
const SPARKS = 28;

export class Takeover {
  #element;
  #words;
  #language;
  #amounts;
  #still;
  #nameOf;
  #rankOf;
  #onMeter;
  #schedule = new Schedule();
  #waiting = []; // Wins of a snapshot, until the service's clock says how long ago they were.
  #shown = null;
  #won;
  #next;
  #counting = false;

  // onMeter(id) is told whose win is shown; null when none is.
  constructor(element, { words, language, money, face, amounts, still, nameOf, rankOf, onMeter }) {
    this.#element = element;
    this.#words = words;
    this.#language = language;
    this.#amounts = amounts;
    this.#still = still;
    this.#nameOf = nameOf;
    this.#rankOf = rankOf;
    this.#onMeter = onMeter;
    this.#won = new Reels({ face, money, rolls: false });
    this.#next = new Reels({ face, money });
    this.#part("amount-won").append(this.#won.element);
    this.#part("amount-next").append(this.#next.element);
    this.#part("sparks").append(...Array.from({ length: SPARKS }, (_, n) => spark(n)));
  }

  get active() {
    return this.#shown !== null;
  }

  // Has just been won.
  announce(win) {
    if (!isCelebrated(win)) {
      return;
    }
    this.#schedule.add(win, clock.now());
    this.beat();
  }

  // Was won before this page looked: it has what is left of its time.
  recall(wins, serviceClock) {
    this.#waiting.push(
      ...wins.filter(
        (win) => win.at !== null && isCelebrated(win) && !this.#schedule.knows(win.award),
      ),
    );
    this.told(serviceClock);
  }

  // The service has said what time it is.
  told(serviceClock) {
    if (serviceClock.exact && this.#waiting.length > 0) {
      this.#waiting.sort((one, other) => one.at - other.at);
      this.#waiting.forEach((win) => this.#schedule.add(win, serviceClock.toSteady(win.at)));
      this.#waiting = [];
      this.beat();
    }
  }

  beat() {
    const now = clock.now();
    const shown = this.#schedule.at(now);
    if (shown?.win.award !== this.#shown?.win.award) {
      this.#change(shown);
    }
    if (shown !== null) {
      const { index, count } = shown;
      this.#text("count", count > 1 ? this.#words.say("of_count", { n: index, count }) : "");
      // For glasses with room for one thing at a time.
      this.#element.dataset.phase = Math.floor((now - shown.startMs) / 2500) % 2;
      this.#next.settle();
    }
  }

  #change(shown) {
    if (this.#shown !== null) {
      this.#amounts.detach(this.#shown.win.meter, this.#next);
    }
    this.#shown = shown;
    this.#element.hidden = shown === null;
    this.#onMeter(shown?.win.meter ?? null);
    if (shown === null) {
      delete this.#element.dataset.award;
      return;
    }
    const { win } = shown;
    const meter = this.#nameOf(win.meter);
    this.#element.dataset.award = win.award;
    this.#element.dataset.meter = win.meter;
    this.#element.dataset.rank = this.#rankOf(win.meter);
    const part = win.sharePercent < 100;
    const share = percentText(win.sharePercent, this.#language);
    this.#element.dataset.share = win.sharePercent;
    this.#text(
      "title",
      part
        ? this.#words.say("share_won", { share, meter })
        : this.#words.say("won", { meter }),
    );
    this.#text("line", this.#words.line(win.lineNames));
    this.#text("place", this.#words.say("table_seat", { table: win.table, seat: win.seat }));
    this.#text("next", this.#words.say(part ? "goes_on_at" : "now_at", { meter }));
    this.#next.show(win.nextCents);
    this.#amounts.attach(win.meter, this.#next);
    // Room for the whole amount from the start: a count must not push anything about.
    this.#won.show(win.cents);
    this.#run();
  }

  #run() {
    if (!this.#counting) {
      this.#counting = true;
      clock.frame(() => this.#count());
    }
  }

  #count() {
    this.#counting = false;
    if (this.#shown === null) {
      return;
    }
    const { win, startMs } = this.#shown;
    const part = Math.min(1, Math.max(0, clock.now() - startMs) / COUNT_MS);
    if (part === 1 || this.#still()) {
      this.#won.show(win.cents);
      return;
    }
    // Only the digits are on their way: as many of them as the amount has, from the first frame.
    const least = 10 ** (String(win.cents).length - 1);
    const from = win.cents > 999 ? least : 0;
    const eased = 1 - (1 - part) ** 3;
    this.#won.show(from + Math.floor((win.cents - from) * eased), 0, win.cents);
    this.#run();
  }

  #part(name) {
    return this.#element.querySelector(`.takeover-${name}`);
  }

  #text(name, text) {
    const element = this.#part(name);
    if (element.textContent !== text) {
      element.textContent = text;
      // The style sheet sizes a line by its length.
      element.style.setProperty("--letters", Math.max(1, [...text].length));
    }
  }
}

function isCelebrated(win) {
  return win.cents > 0 && win.cents >= win.wagerCents;
}

// Where a spark rises, how fast and how far aside: strewn by steps that never fall into a row.
function spark(n) {
  const element = document.createElement("i");
  element.style.setProperty("--at", ((n * 61.8) % 100).toFixed(1));
  element.style.setProperty("--span", `${5 + ((n * 3) % 5)}s`);
  element.style.setProperty("--late", `${-((n * 1.7) % 6).toFixed(1)}s`);
  element.style.setProperty("--sway", `${((n * 7) % 13) - 6}cqw`);
  return element;
}
