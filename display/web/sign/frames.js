// Feed text to checked frames, and their order. Pure: no socket, no page. What is not wholly
// understood is null, so that half a frame can never reach the glass.

import { isCents } from "../kit/money.js";

const isText = (value) => typeof value === "string" && value !== "";
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;

// A place is an epoch and a sequence in it; `at` is the service's own time, in milliseconds.
function place(raw) {
  return isWhole(raw.epoch) && isWhole(raw.seq)
    ? { epoch: raw.epoch, seq: raw.seq, at: timeOf(raw.at) }
    : null;
}

function timeOf(at) {
  const time = typeof at === "string" ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? null : time;
}

// Below zero: the first stands behind the second.
export function comparePlaces(one, other) {
  return one.epoch === other.epoch ? one.seq - other.seq : one.epoch - other.epoch;
}

// All or nothing: one bad meter spoils the list, and no id may come twice.
function meterList(raw, { named }) {
  if (!Array.isArray(raw)) {
    return null;
  }
  const meters = new Map();
  for (const meter of raw) {
    if (!isText(meter?.id) || !isCents(meter.cents) || meters.has(meter.id)) {
      return null;
    }
    if (named && !isText(meter.name)) {
      return null;
    }
    meters.set(meter.id, { id: meter.id, name: meter.name, cents: meter.cents });
  }
  return [...meters.values()];
}

// By language; only what is a text.
function namesOf(raw) {
  return Object.fromEntries(Object.entries(raw ?? {}).filter(([, name]) => isText(name)));
}

function winOf(raw) {
  const known = isText(raw?.award) && isText(raw.table) && isWhole(raw.seat);
  if (!known || !isText(raw.meter) || !isCents(raw.amount_cents) || !isCents(raw.next_cents)) {
    return null;
  }
  return {
    award: raw.award,
    table: raw.table,
    seat: raw.seat,
    meter: raw.meter,
    line: isText(raw.line) ? raw.line : "",
    lineNames: namesOf(raw.line_names),
    cents: raw.amount_cents,
    nextCents: raw.next_cents,
    // Who does not say means all of it: an older service or relay.
    sharePercent: isWhole(raw.share_percent) && raw.share_percent < 100 ? raw.share_percent : 100,
    wagerCents: isCents(raw.wager_cents) ? raw.wager_cents : 0,
    at: timeOf(raw.at),
  };
}

// Only the word "live" opens a sign; a state this page has never heard of does not.
function serviceOf(raw) {
  if (!isText(raw.state)) {
    return null;
  }
  return { operable: raw.state === "live", reason: isText(raw.reason) ? raw.reason : "" };
}

const readers = {
  snapshot(raw) {
    // A link that cannot tell its amounts has none: dashes are shown, never a guess.
    const meters = meterList(raw.meters ?? [], { named: true });
    const service = serviceOf(raw);
    const ageMs = raw.age_ms ?? 0;
    if (!isText(raw.link) || meters === null || service === null || !isWhole(ageMs)) {
      return null;
    }
    const wins = Array.isArray(raw.wins) ? raw.wins.map(winOf).filter((win) => win !== null) : [];
    return { ...place(raw), link: raw.link, meters, service, wins, ageMs, nothingKept: raw.nothing_kept === true };
  },
  update(raw) {
    const meters = meterList(raw.meters, { named: false });
    return meters && { ...place(raw), meters };
  },
  win(raw) {
    const win = winOf(raw);
    return win && { ...place(raw), win };
  },
  state(raw) {
    const service = serviceOf(raw);
    return service && { service };
  },
  tick(raw) {
    return place(raw);
  },
};

// One checked frame, or null for anything malformed or of an unknown type.
export function readFrame(data) {
  let raw;
  try {
    raw = JSON.parse(data);
  } catch {
    return null;
  }
  if (!isText(raw?.type) || !Object.hasOwn(readers, raw.type)) {
    return null;
  }
  if (raw.type !== "state" && place(raw) === null) {
    return null;
  }
  const frame = readers[raw.type](raw);
  return frame && { type: raw.type, ...frame };
}
