// Amounts to choose from with a finger. Whole cents only.

const CHIPS = [100, 200, 300, 500, 1000, 1500, 2000, 2500, 5000, 10000, 20000, 50000, 100000];
const SHOWN_MAX = 8;

export const BASE_PRESETS = [1000, 1500, 2500, 5000, 10000, 20000, 50000, 100000];
export const BASE_DEFAULT = 2500;

// The amounts that a bet with a range takes, its bounds included.
export function betPresets(bet) {
  const inRange = (cents) =>
    cents >= bet.min_cents && (bet.max_cents === null || cents <= bet.max_cents);
  const bounds = bet.max_cents === null ? [bet.min_cents] : [bet.min_cents, bet.max_cents];
  const all = [...new Set([...CHIPS.filter(inRange), ...bounds])].sort((a, b) => a - b);
  if (all.length <= SHOWN_MAX) {
    return all;
  }
  return [...all.slice(0, SHOWN_MAX - 1), all.at(-1)];
}

export function betDefault(bet) {
  return bet.wager_cents ?? Math.max(bet.min_cents, Math.min(500, bet.max_cents ?? 500));
}
