// Feed text to checked frames, and their order. Pure: no socket, no page. What is not wholly
// understood is null, so that half a frame can never reach the glass.

import { isCents } from "./kit/money.js";

export const OLDER = "older"; // Behind what is shown: never applied.
export const CURRENT = "current"; // Same epoch, same or later sequence.
export const LATER_EPOCH = "later epoch"; // Ahead of what is shown, numbered afresh.
export const OTHER_EPOCH = "other epoch"; // Epochs without an order: only a snapshot can tell.

const isText = (value) => typeof value === "string" && value !== "";
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;

function place(raw) {
  const epochKnown = isWhole(raw.epoch) || isText(raw.epoch);
  if (!epochKnown || !isWhole(raw.seq)) {
    return null;
  }
  return { epoch: raw.epoch, seq: raw.seq, at: timeOf(raw.at) };
}

function timeOf(at) {
  const time = typeof at === "string" ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? null : time;
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

function winOf(raw) {
  const known = isText(raw?.award) || isWhole(raw?.award);
  if (!known || !isText(raw.table) || !isWhole(raw.seat) || !isCents(raw.amount_cents)) {
    return null;
  }
  const meter = isText(raw.meter) ? raw.meter : null;
  return { award: raw.award, table: raw.table, seat: raw.seat, meter, cents: raw.amount_cents };
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
    if (!isText(raw.link) || meters === null || service === null) {
      return null;
    }
    const wins = Array.isArray(raw.wins) ? raw.wins.map(winOf).filter((win) => win !== null) : [];
    return { ...place(raw), link: raw.link, meters, service, wins };
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

export function orderOf(frame, shown) {
  if (frame.epoch === shown.epoch) {
    return frame.seq < shown.seq ? OLDER : CURRENT;
  }
  if (typeof frame.epoch === "number" && typeof shown.epoch === "number") {
    return frame.epoch < shown.epoch ? OLDER : LATER_EPOCH;
  }
  return OTHER_EPOCH;
}
