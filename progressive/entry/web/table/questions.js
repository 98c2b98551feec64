// What the dealer's bust leaves open about a seat, and what the dealer has said of it. Which seats
// are asked is the service's to say (`guide`); here the answers are put together.

export function answered(answers, seat, said) {
  return { ...answers, [seat]: { ...answers[seat], ...said } };
}

// { seat, ask: "points" | "blackjack", points_max }, or null where nothing is open.
export function openQuestion(guide, work, full) {
  if (guide?.hand !== "bust") {
    return null;
  }
  for (const question of guide.questions) {
    const said = work.answers[question.seat] ?? {};
    const cards = work.seats[question.seat]?.cards ?? [];
    // Winners' cards may be the first ones only: points take the whole hand, or the dealer's word.
    const whole = cards.length >= 2 && (full || said.whole === true);
    if (question.points_max !== null && said.points_over === undefined && !whole) {
      return { ...question, ask: "points" };
    }
    if (question.blackjack && said.points_over !== true && said.blackjack !== false && cards.length < 2) {
      return { ...question, ask: "blackjack" };
    }
  }
  return null;
}

// The seats of a settlement: those that were keyed, and those that the dealer answered for.
export function seatMessages(guide, work, keyed, full) {
  const asked = new Map((guide?.questions ?? []).map((question) => [question.seat, question]));
  const seats = new Set([...keyed, ...(full ? [] : asked.keys())]);
  return [...seats].sort((one, other) => one - other).map((seat) => {
    const { cards = [], hands = [] } = work.seats[seat] ?? {};
    const message = { seat, cards, hands };
    return full ? message : { ...message, ...said(work.answers[seat], asked.get(seat), cards) };
  });
}

// Only what was asked, and nothing that the cards themselves say.
function said(answer = {}, question = { points_max: null, blackjack: false }, cards) {
  const words = {};
  if (question.points_max !== null && answer.points_over !== undefined && answer.whole !== true) {
    words.points_over = answer.points_over;
  }
  if (question.blackjack && answer.blackjack === false && cards.length < 2 && words.points_over !== true) {
    words.blackjack = false;
  }
  return words;
}
