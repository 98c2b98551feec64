// A seat's base wager: keyed by the dealer, or the one of the round before, which is a proposal
// until the lock-out confirms it. The panel never makes one up and never changes one (N.J.A.C.
// 13:69F-2.28(f), 2.30(c)).

import { pageMoney } from "../kit/money.js";
import { betName } from "./words.js";

const CENTS_MAX = 100_000_000_000;

// The limits that the floor file states for the table; 0 is not stated.
export function baseLimits({ base_min_cents, base_max_cents }) {
  return { least: Math.max(1, base_min_cents), most: base_max_cents || CENTS_MAX };
}

export function asksBase(bet) {
  return bet.needs_base_wager || bet.capped_by_base_wager;
}

// The seats whose side bets ask for a base wager, in order.
export function askedSeats(draft, bets) {
  return Object.keys(draft)
    .map(Number)
    .filter((seat) => bets.some((bet) => asksBase(bet) && draft[seat].bets[bet.id] !== undefined))
    .sort((a, b) => a - b);
}

// { cents, keyed } of a seat with side bets, or null where nobody has said it. `before` are the
// wagers of the last lock-out.
export function baseAt(draft, seat, before, limits) {
  const keyed = draft[seat]?.keyed_base_cents ?? null;
  if (keyed !== null) {
    return { cents: keyed, keyed: true };
  }
  const cents = before.find((wager) => wager.seat === seat)?.base_cents ?? 0;
  const proposed = cents >= limits.least && cents <= limits.most;
  return proposed ? { cents, keyed: false } : null;
}

export function withBase(draft, seat, cents) {
  const at = draft[seat];
  return at === undefined ? draft : { ...draft, [seat]: { ...at, keyed_base_cents: cents } };
}

// What keeps a seat from being locked out: { kind: "missing" } or { kind: "wrong", text, bet }.
export function faultAt(draft, seat, bets, base, limits) {
  if (!askedSeats(draft, bets).includes(seat)) {
    return null;
  }
  if (base === null) {
    return { kind: "missing", bet: null };
  }
  const { least, most } = limits;
  if (base.cents < least || base.cents > most) {
    const text = `Base wager ${short(base.cents)} is not ${inWords(least, most)}`;
    return { kind: "wrong", text, bet: null };
  }
  for (const bet of bets) {
    const amount = draft[seat].bets[bet.id]?.amount_cents ?? 0;
    if (bet.capped_by_base_wager && amount > base.cents) {
      const text = `${betName(bet)} ${short(amount)} is above the base wager ${short(base.cents)}`;
      return { kind: "wrong", text, bet: bet.id };
    }
  }
  return null;
}

// "$10 to $2,000", "$10 or more".
export function inWords(least, most) {
  return most >= CENTS_MAX ? `${short(least)} or more` : `${short(least)} to ${short(most)}`;
}

export function short(cents) {
  return pageMoney(cents).replace(/\.00$/, "");
}
