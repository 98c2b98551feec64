// Payouts that are not done with their round: those that wait for a supervisor, and those that were
// confirmed once the dealer had gone on. Draws nothing, confirms nothing.

const UNPAID_MAX = 50;

export class Payouts {
  #table;
  #memory;
  #changed;

  constructor(table, memory, changed) {
    this.#table = table;
    this.#memory = memory;
    this.#changed = changed;
  }

  get #unpaid() {
    return this.#memory.work.unpaid;
  }

  // The awards of the last round once it was put away; before that they are on the desk.
  get #putAway() {
    const { paying, state } = this.#table;
    return paying.length > 0 ? [] : (state.last?.awards ?? []);
  }

  // Hands of earlier rounds, and of the last one once the dealer has gone on to the next.
  get waiting() {
    return [...this.#table.state.waiting, ...this.#putAway.filter((award) => award.step === "hold")];
  }

  // A supervisor's one tap each: the payouts that wait for nothing else, round by round.
  get roundsToConfirm() {
    const { round, last, waiting } = this.#table.state;
    const awards = [...waiting, ...(last?.awards ?? []), ...(round?.early?.awards ?? [])];
    const rounds = new Map();
    for (const award of awards.filter((each) => each.awaits_round)) {
      rounds.set(award.round, [...(rounds.get(award.round) ?? []), award]);
    }
    return [...rounds].map(([name, payouts]) => ({
      key: `${name} ${payouts.map((award) => award.award).join(" ")}`,
      round: name,
      awards: payouts,
    }));
  }

  // Payouts that this panel saw waiting, confirmed after their round was put away.
  get confirmedSince() {
    const { confirmed = [] } = this.#table.state;
    const paid = this.#putAway.filter((award) => award.step === "pay" && award.status === "paid");
    return [...confirmed, ...paid].filter((award) => this.#unpaid.includes(award.award));
  }

  paidLater(award) {
    this.#memory.remember({ unpaid: this.#unpaid.filter((each) => each !== award.award) });
    this.#changed();
  }

  // Payouts that were unconfirmed when the dealer went on are shown again once they are confirmed.
  note() {
    const now = this.waiting.filter((award) => award.awaits_round).map((award) => award.award);
    const unpaid = [...new Set([...this.#unpaid, ...now])].slice(-UNPAID_MAX);
    if (unpaid.length !== this.#unpaid.length) {
      this.#memory.remember({ unpaid });
    }
  }
}
