// What an award rests on: the light, the cards, the order. Read once a round from its settlement
// sheet; cards that were dealt do not change.

import { get } from "../kit/api.js";

const RETRY_MS = 3000;

const sheets = new Map(); // Link and record to the promise of a sheet.

export function evidenceOf(award) {
  const key = `${award.link} ${award.journal_seq}`;
  if (!sheets.has(key)) {
    sheets.set(key, read(award.award));
  }
  return sheets.get(key).then((sheet) => ({
    dealer: sheet.dealer_cards,
    seat: sheet.seats.find((seat) => seat.seat === award.seat) ?? null,
    wager: wagerOf(sheet, award),
    awards: sheet.awards.length,
  }));
}

// Forget what nobody looks at any more.
export function keepEvidence(awards) {
  const kept = new Set(awards.map((award) => `${award.link} ${award.journal_seq}`));
  for (const key of sheets.keys()) {
    if (!kept.has(key)) {
      sheets.delete(key);
    }
  }
}

function wagerOf(sheet, award) {
  const seat = sheet.seats.find((each) => each.seat === award.seat);
  return seat?.wagers.find((wager) => wager.bet === award.bet) ?? null;
}

// Until it is there: a console without evidence is worse than one that is late.
async function read(award) {
  for (;;) {
    try {
      return (await get(`/v1/awards/${encodeURIComponent(award)}/sheet`)).sheet;
    } catch (error) {
      if (error.status === 401 || error.status === 403 || error.status === 404) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
