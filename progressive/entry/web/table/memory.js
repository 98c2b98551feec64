// What this window must not forget over a reload: the lights, the count, the cards keyed so far and
// the message that was not answered yet. What the dealer likes is kept for this machine.

function read(storage, key, otherwise) {
  try {
    return { ...otherwise, ...JSON.parse(storage.getItem(key) ?? "{}") };
  } catch {
    return otherwise;
  }
}

function write(storage, key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs a reload its memory, nothing else: the journal has the rest.
  }
}

const WORK = {
  draft: {}, // The lights and base wagers of the next round.
  counted: null, // The chips the dealer has counted.
  mismatch: null, // What the service said of a count that was not the lights.
  before: [], // The wagers of the last lock-out; their base wagers are the next round's proposals.
  round: null, // The round that `dealer` and `seats` are of.
  dealer: { cards: [], hands: [] },
  seats: {},
  answers: {}, // What the dealer said of a seat instead of keying it.
  pending: null, // The message that was not answered yet.
  withdrawn: null, // A lock-out that the dealer gave up while its fate was unknown.
  paidUpTo: 0, // The settlement whose payments the dealer has seen through.
  unpaid: [], // Payouts seen waiting for a supervisor: the dealer is told when she has confirmed them.
};

const PREFS = { full: false, amounts: {} };

export class Memory {
  #workKey;

  constructor(table) {
    this.#workKey = `progressive.panel.${table}`;
    this.work = read(sessionStorage, this.#workKey, WORK);
    this.prefs = read(localStorage, "progressive.panel", PREFS);
  }

  remember(changes) {
    this.work = { ...this.work, ...changes };
    write(sessionStorage, this.#workKey, this.work);
  }

  prefer(changes) {
    this.prefs = { ...this.prefs, ...changes };
    write(localStorage, "progressive.panel", this.prefs);
  }
}
