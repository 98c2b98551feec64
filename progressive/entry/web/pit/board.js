// The floor as the service tells it: a snapshot, then changes. Pure: no page, no socket.

const SECTIONS = {
  links: (row) => row.id,
  tables: (row) => row.id,
  signs: (row) => row.id,
  awards: (row) => row.award,
  alarms: (row) => row.alarm,
};
const ACTS_MAX = 100;

export class FloorBoard {
  links = new Map();
  tables = new Map();
  signs = new Map();
  awards = new Map();
  alarms = new Map();
  acts = []; // Newest first.

  // Takes one frame in. Answers null for what it does not understand, otherwise the awards that
  // have come since the last frame; those of a first snapshot were there before.
  take(frame, fresh) {
    switch (frame?.type) {
      case "snapshot":
        return this.#replace(frame, fresh);
      case "change":
        return fresh ? null : this.#merge(frame);
      case "tick":
        return fresh ? null : [];
      default:
        return null;
    }
  }

  #replace(frame) {
    const known = this.awards;
    const first = this.links.size === 0;
    for (const [section, key] of Object.entries(SECTIONS)) {
      if (!Array.isArray(frame[section])) {
        return null;
      }
      this[section] = new Map(frame[section].map((row) => [key(row), row]));
    }
    this.acts = frame.acts.toReversed().slice(0, ACTS_MAX);
    return first ? [] : frame.awards.filter((award) => !known.has(award.award));
  }

  #merge(frame) {
    const come = (frame.awards ?? []).filter((award) => !this.awards.has(award.award));
    for (const [section, key] of Object.entries(SECTIONS)) {
      for (const row of frame[section] ?? []) {
        this[section].set(key(row), row);
      }
    }
    for (const section of ["awards", "alarms"]) {
      for (const id of frame.gone?.[section] ?? []) {
        this[section].delete(id);
      }
    }
    this.acts = [...(frame.acts ?? []).toReversed(), ...this.acts].slice(0, ACTS_MAX);
    return come;
  }

  meterName(link, meter) {
    return this.links.get(link)?.meters.find((each) => each.id === meter)?.name ?? meter;
  }

  // Those that wait for somebody: the newest round first, each round in its order of payment.
  get openAwards() {
    return [...this.awards.values()]
      .filter((award) => !isFinal(award))
      .sort((a, b) => b.at.localeCompare(a.at) || a.order - b.order);
  }

  // Those in trouble first, the rest in the order of the floor.
  get tablesToWatch() {
    const tables = [...this.tables.values()];
    return [...tables.filter(isLost), ...tables.filter((table) => !isLost(table))];
  }

  get finishedAwards() {
    return [...this.awards.values()].filter(isFinal).reverse();
  }
}

export function isLost(table) {
  return !table.connected && table.state === "locked";
}

export function isFinal(award) {
  return award.status === "paid" || award.status === "void";
}
