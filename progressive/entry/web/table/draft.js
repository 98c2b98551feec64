// The lights of the round that is about to be locked: who bets what. Nothing is registered by it.

import { takes } from "./amounts.js";
import { baseAt } from "./bases.js";

// A draft is { SEAT: { keyed_base_cents, bets: { BET: { amount_cents, tender } } } }; a base wager is
// null until the dealer keys it.

// A tap on a light: off, a chip, a coupon, off. Only acceptors take coupons (NJ 13:69F-2.3(m)).
// Without an amount it lights nothing: `amountOf` says whether there is one.
export function tapped(draft, seat, bet, amount_cents) {
  const was = draft[seat]?.bets[bet.id];
  if (was === undefined) {
    return amount_cents === null ? draft : lit(draft, seat, bet, { amount_cents, tender: "chip" });
  }
  if (was.tender === "chip" && bet.meters.length > 0) {
    return lit(draft, seat, bet, { ...was, tender: "coupon" });
  }
  return unlit(draft, seat, bet);
}

export function lit(draft, seat, bet, wager) {
  const at = draft[seat] ?? { keyed_base_cents: null, bets: {} };
  return { ...draft, [seat]: { ...at, bets: { ...at.bets, [bet.id]: wager } } };
}

export function unlit(draft, seat, bet) {
  const { [bet.id]: _, ...bets } = draft[seat]?.bets ?? {};
  const { [seat]: at, ...others } = draft;
  return Object.keys(bets).length === 0 ? others : { ...others, [seat]: { ...at, bets } };
}

// What a tap on a light of this bet means: its one amount, or the one that the dealer has set for
// taps. Null where nobody has.
export function amountOf(bet, prefs) {
  if (bet.wager_cents !== null) {
    return bet.wager_cents;
  }
  const set = bet.min_cents === bet.max_cents ? bet.min_cents : (prefs.amounts[bet.id] ?? null);
  return set !== null && takes(bet, set) ? set : null;
}

// As the lock-out carries them: by seat, and by the order of the bets. A seat has one base wager,
// and all its wagers carry it.
export function wagersOf(draft, bets, before, limits) {
  return Object.keys(draft)
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((seat) => {
      const base_cents = baseAt(draft, seat, before, limits)?.cents ?? 0;
      return bets
        .filter((bet) => draft[seat].bets[bet.id] !== undefined)
        .map((bet) => ({ seat, bet: bet.id, base_cents, ...draft[seat].bets[bet.id] }));
    });
}

// The lights of a round that was locked before, for "the same again". Its base wagers are proposals.
export function draftOf(wagers, bets) {
  const known = new Map(bets.map((bet) => [bet.id, bet]));
  let draft = {};
  for (const { seat, bet, amount_cents, tender } of wagers) {
    if (known.has(bet) && takes(known.get(bet), amount_cents)) {
      draft = lit(draft, seat, known.get(bet), { amount_cents, tender });
    }
  }
  return draft;
}
