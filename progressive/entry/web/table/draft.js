// The lights of the round that is about to be locked: who bets what. Nothing is registered by it.

import { betDefault } from "./amounts.js";

// A draft is { SEAT: { base_cents, bets: { BET: { amount_cents, tender } } } }.

// A tap on a light: off, a chip, a coupon, off. Only acceptors take coupons (NJ 13:69F-2.3(m)).
export function tapped(draft, seat, bet, prefs) {
  const was = draft[seat]?.bets[bet.id];
  if (was === undefined) {
    return lit(draft, seat, bet, { amount_cents: amountOf(bet, prefs), tender: "chip" }, prefs);
  }
  if (was.tender === "chip" && bet.meters.length > 0) {
    return lit(draft, seat, bet, { ...was, tender: "coupon" }, prefs);
  }
  return unlit(draft, seat, bet);
}

export function lit(draft, seat, bet, wager, prefs) {
  const at = draft[seat] ?? { base_cents: prefs.base_cents, bets: {} };
  // A bet that may not exceed the base wager lies beside one that is at least as high.
  const least = bet.capped_by_base_wager ? wager.amount_cents : 0;
  return {
    ...draft,
    [seat]: {
      base_cents: Math.max(at.base_cents, least),
      bets: { ...at.bets, [bet.id]: wager },
    },
  };
}

export function unlit(draft, seat, bet) {
  const { [bet.id]: _, ...bets } = draft[seat]?.bets ?? {};
  const { [seat]: at, ...others } = draft;
  return Object.keys(bets).length === 0 ? others : { ...others, [seat]: { ...at, bets } };
}

export function withBase(draft, seat, base_cents) {
  return draft[seat] === undefined ? draft : { ...draft, [seat]: { ...draft[seat], base_cents } };
}

export function amountOf(bet, prefs) {
  return bet.wager_cents ?? prefs.amounts[bet.id] ?? betDefault(bet);
}

// As the lock-out carries them: by seat, and by the order of the bets.
export function wagersOf(draft, bets) {
  return Object.keys(draft)
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((seat) =>
      bets
        .filter((bet) => draft[seat].bets[bet.id] !== undefined)
        .map((bet) => ({
          seat,
          bet: bet.id,
          base_cents: draft[seat].base_cents,
          ...draft[seat].bets[bet.id],
        })),
    );
}

// The draft of a round that was locked before, for "the same again".
export function draftOf(wagers, bets) {
  const known = new Set(bets.map((bet) => bet.id));
  const draft = {};
  for (const { seat, bet, base_cents, amount_cents, tender } of wagers) {
    if (known.has(bet)) {
      draft[seat] ??= { base_cents, bets: {} };
      draft[seat].bets[bet] = { amount_cents, tender };
    }
  }
  return draft;
}

// NJ 13:69E-1.10(t)2: as many chips on the acceptors as lights that chips have lit.
export function chipLights(wagers, bets) {
  const acceptors = new Set(bets.filter((bet) => bet.meters.length > 0).map((bet) => bet.id));
  return wagers.filter((wager) => wager.tender === "chip" && acceptors.has(wager.bet)).length;
}
