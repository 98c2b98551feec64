// Which win is on the glass at which moment. Pure: the wins and when they came decide it alone, so
// a sign that joins in the middle agrees with those that were there all along.

export const FULL_MS = 12000;
export const LEAST_MS = 4000;
const WINS_MAX = 64;
const AWARDS_MAX = 512;

export class Schedule {
  #wins = []; // { win, fromMs, startMs, endMs, group }, in the order they are shown.
  #known = new Set();

  knows(award) {
    return this.#known.has(award);
  }

  // `fromMs`: when it came, or when it was won for a sign that was not there. Each award once.
  add(win, fromMs) {
    if (this.#known.has(win.award)) {
      return;
    }
    this.#known.add(win.award);
    if (this.#known.size > AWARDS_MAX) {
      this.#known.delete(this.#known.values().next().value);
    }
    this.#wins.push({ win, fromMs });
    this.#plan();
  }

  // What is shown now: { win, startMs, endMs, index, count }, or null.
  at(nowMs) {
    this.#forget(nowMs);
    const shown = this.#wins.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
    if (shown === undefined) {
      return null;
    }
    const together = this.#wins.filter(({ group }) => group === shown.group);
    return { ...shown, index: together.indexOf(shown) + 1, count: together.length };
  }

  // A win has its full time, unless another waits: then it yields, though never before its least.
  #plan() {
    let freeMs = -Infinity;
    let group = 0;
    this.#wins.forEach((entry, index) => {
      const nextFromMs = this.#wins[index + 1]?.fromMs ?? Infinity;
      entry.startMs = Math.max(entry.fromMs, freeMs);
      group += entry.fromMs < freeMs ? 0 : 1;
      entry.group = group;
      entry.endMs = Math.max(
        entry.startMs + LEAST_MS,
        Math.min(entry.startMs + FULL_MS, nextFromMs),
      );
      freeMs = entry.endMs;
    });
  }

  // A group is kept to its end, so that "2 of 3" stays true.
  #forget(nowMs) {
    const last = this.#wins.at(-1);
    if (last !== undefined && last.endMs <= nowMs) {
      this.#wins = [];
    } else if (this.#wins.length > WINS_MAX) {
      this.#wins = this.#wins.slice(-WINS_MAX);
    }
  }
}
