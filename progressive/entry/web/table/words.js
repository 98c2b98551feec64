// What the panel calls things. The service speaks in ids; dealers do not.

const BETS = {
  blazing_sevens: { name: "Blazing 7's", short: "7s" },
  buster: { name: "Buster", short: "Buster" },
  jack_magic: { name: "Jack Magic", short: "Jacks" },
};

export function betName(bet) {
  return BETS[bet.reader]?.name ?? bet.id;
}

// For a light: there is room for a word.
export function betShort(bet) {
  return BETS[bet.reader]?.short ?? bet.id;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}
