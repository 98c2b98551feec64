// A seat's cards as they are keyed: in the order dealt, and as hands once the seat has split.
// An entry is { cards, hands }; `hands` is empty until there is a split.

export const NO_CARDS = { cards: [], hands: [] };
const HANDS_MAX = 4;
const CARDS_MAX = 21;

function points(card) {
  return "TJQK".includes(card[0]) ? "T" : card[0];
}

export function dealt(entry, card, hand = 0) {
  if (entry.cards.length >= CARDS_MAX) {
    return entry;
  }
  const hands = entry.hands.map((held, index) => (index === hand ? [...held, card] : held));
  return { cards: [...entry.cards, card], hands };
}

// Takes the last card back; of a split, the split itself once there is nothing left behind it.
export function undone(entry) {
  const last = entry.cards.at(-1);
  if (last === undefined) {
    return entry;
  }
  if (entry.hands.length > 0 && entry.cards.length === 2) {
    return { cards: entry.cards, hands: [] };
  }
  // The last card dealt is the last card of one of the hands.
  const from = entry.hands.findLastIndex((held) => held.at(-1) === last && held.length > 1);
  if (entry.hands.length > 0 && from < 0) {
    return { cards: entry.cards, hands: [] };
  }
  const hands = entry.hands.map((held, index) => (index === from ? held.slice(0, -1) : held));
  return { cards: entry.cards.slice(0, -1), hands };
}

export function maySplit(entry, hand = 0) {
  const held = entry.hands[hand] ?? entry.cards;
  return held.length === 2 && points(held[0]) === points(held[1]) && entry.hands.length < HANDS_MAX;
}

export function split(entry, hand = 0) {
  if (!maySplit(entry, hand)) {
    return entry;
  }
  const [first, second] = entry.hands[hand] ?? entry.cards;
  const others = entry.hands.filter((_, index) => index !== hand);
  return { cards: entry.cards, hands: [[first], ...others, [second]] };
}

export function seatMessage(seat, entry) {
  return { seat, cards: entry.cards, hands: entry.hands };
}

// NJ 13:69F-2.6(j)4: an ace or a ten up, and nothing else of the dealer's hand.
export function isPeek(dealer) {
  const [up, ...more] = dealer.cards;
  return up !== undefined && more.length === 0 && "ATJQK".includes(up[0]);
}

// Of the lit seats those whose two cards may be paid before the peek.
export function earlySeats(book, lit) {
  if (!isPeek(book.dealer)) {
    return [];
  }
  return lit
    .map((seat) => [seat, book.seats[seat] ?? NO_CARDS])
    .filter(([, { cards }]) => cards.length === 2 && cards.some((card) => card[0] === "7"))
    .map(([seat, entry]) => seatMessage(seat, entry));
}
