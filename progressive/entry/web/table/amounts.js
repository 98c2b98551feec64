// Amounts to choose from with a finger, out of what the table and its bets take. Whole cents only.

const CHIPS = [100, 200, 300, 500, 1000, 1500, 2000, 2500, 5000, 10000, 20000, 50000, 100000];
const BASES = [
  500, 1000, 1500, 2000, 2500, 3000, 5000, 7500, 10000, 15000, 20000, 25000, 30000, 50000, 100000,
  200000, 500000, 1000000,
];
const BETS_SHOWN_MAX = 11;
const BASES_SHOWN_MAX = 9;
const DIGITS_MAX = 9;

// The amounts that a bet with a range takes, its bounds included; `most` is a limit of the table's.
export function betPresets(bet, most = Infinity) {
  const high = Math.min(bet.max_cents ?? Infinity, most);
  const bounds = [bet.min_cents, high].filter((cents) => cents !== Infinity && cents <= high);
  const all = inRange(CHIPS, bet.min_cents, high, bounds);
  return all.length <= BETS_SHOWN_MAX ? all : [...all.slice(0, BETS_SHOWN_MAX - 1), all.at(-1)];
}

// From the table's least base wager upwards.
export function basePresets({ least, most }) {
  return inRange(BASES, least, most, least > 1 ? [least] : []).slice(0, BASES_SHOWN_MAX);
}

function inRange(amounts, low, high, bounds) {
  const within = amounts.filter((cents) => cents >= low && cents <= high);
  return [...new Set([...within, ...bounds])].sort((a, b) => a - b);
}

export function takes(bet, cents) {
  return bet.wager_cents === null
    ? cents >= bet.min_cents && cents <= (bet.max_cents ?? Infinity)
    : cents === bet.wager_cents;
}

// --- keyed digit by digit ---

// "12.5" and a key make "12.50"; a key that makes no valid amount changes nothing.
export function typed(entry, key) {
  if (key === "back") {
    return entry.slice(0, -1);
  }
  const next = key === "." && entry === "" ? "0." : entry === "0" && key !== "." ? key : entry + key;
  return /^\d*(\.\d{0,2})?$/.test(next) && next.length <= DIGITS_MAX ? next : entry;
}

// Whole cents of what was keyed, null where nothing was. No float on the way.
export function centsOf(entry) {
  if (entry === "") {
    return null;
  }
  const [units, rest = ""] = entry.split(".");
  return Number(units) * 100 + Number(rest.padEnd(2, "0"));
}
