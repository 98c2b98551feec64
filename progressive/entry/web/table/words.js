// What the panel calls things. The service speaks in ids; dealers do not.

const BETS = {
  blazing_sevens: { name: "Blazing 7's", short: "7s" },
  buster: { name: "Buster", short: "Buster" },
  jack_magic: { name: "Jack Magic", short: "Jacks" },
};

const LINES = {
  three_7_diamonds: "Three 7s of diamonds",
  three_7_suited_other: "Three suited 7s",
  three_7_suited: "Three suited 7s",
  three_7_color: "Three 7s of one colour",
  three_7_mixed: "Three mixed 7s",
  three_7_any: "Three 7s",
  two_7: "Two 7s",
  one_7: "One 7",
  bust_8_or_more: "Bust with 8 or more cards",
};

export function betName(bet) {
  return BETS[bet.reader]?.name ?? bet.id;
}

// For a light: there is room for a word.
export function betShort(bet) {
  return BETS[bet.reader]?.short ?? bet.id;
}

export function lineName(line) {
  const bust = /^bust_(\d)$/.exec(line);
  if (bust !== null) {
    return `Bust with ${bust[1]} cards`;
  }
  const text = LINES[line] ?? line.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}
