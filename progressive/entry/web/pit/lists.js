// Tables, signs, finished awards and acts: rows of text that keep themselves up to date.

import { h } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { DataTable } from "../kit/table.js";
import { clockText, spanText } from "../kit/time.js";
import { sheetUrl, whatText, whereText } from "./awards.js";
import { lagText, reportText, signState } from "../staff/sign_words.js";
import { isLost } from "./board.js";
import { actWord, statusWord } from "./words.js";

const badge = (text, kind) => h("span", { class: "badge", "data-kind": kind }, text);
const drawn = (label, same, value) => ({ label, same, value });

export function tablesTable(container, { me, voidRound }) {
  // Where the terms leave a misdeal to a supervisor.
  const offered = (table) => table.void_needs_supervisor && me.may("void_round");
  const voidButton = (table) =>
    h("button", { type: "button", class: "danger", onclick: () => voidRound(table) }, "Void round…");
  return new DataTable(container, {
    caption: "Tables",
    key: (table) => table.id,
    kind: (table) => (isLost(table) ? "bad" : null),
    empty: "This floor has no tables.",
    columns: [
      { label: "Table", value: (table) => table.id },
      drawn("Contact", contactMark, (table) =>
        table.connected ? badge("Connected", "good") : badge("No contact", contactMark(table)),
      ),
      drawn("Round", (table) => `${table.round} ${offered(table)}`, (table) =>
        h("span", { class: "round" }, table.round ?? "—", offered(table) ? voidButton(table) : null),
      ),
      { label: "Dealer", value: (table) => table.dealer ?? "—" },
      { label: "Last message", number: true, value: (table) => agoText(table.last_at) },
    ],
  });
}

const contactMark = (table) => (table.connected ? "here" : isLost(table) ? "bad" : null);
const agoText = (at) => (at === null ? "—" : spanText(Date.now() - Date.parse(at)));

export function signsTable(container) {
  return new DataTable(container, {
    caption: "Signs",
    key: (sign) => sign.id,
    kind: (sign) => (signState(sign)[1] === "bad" ? "bad" : null),
    empty: "This floor has no signs.",
    columns: [
      { label: "Sign", value: (sign) => sign.name || sign.id },
      drawn("State", (sign) => signState(sign).join(), (sign) => badge(...signState(sign))),
      { label: "Last report", number: true, value: reportText },
      { label: "Lag", number: true, value: lagText },
    ],
  });
}

export function finishedTable(container, { meterName }) {
  return new DataTable(container, {
    caption: "Recently closed awards",
    key: (award) => award.award,
    empty: "None yet.",
    columns: [
      { label: "Award", value: (award) => finishedText(award, meterName) },
      drawn("Status", (award) => award.status, (award) => {
        const { text, kind } = statusWord(award);
        return badge(text, kind);
      }),
      { label: "Amount", number: true, value: (award) => pageMoney(award.due_cents) },
      { label: "Where", value: whereText },
      { label: "By", value: (award) => closedBy(award)?.name ?? "" },
      { label: "Document", value: documentText },
      drawn("Sheet", () => "", (award) =>
        h("a", { href: sheetUrl(award), target: "_blank" }, "Sheet"),
      ),
    ],
  });
}

function finishedText(award, meterName) {
  const before = award.paid_before_cents;
  const early = before > 0 ? ` · ${pageMoney(before)} was paid before the peek` : "";
  return whatText(award, meterName) + early;
}

const closedBy = (award) => award.voided_by ?? award.paid_by ?? award.validated_by;

function documentText(award) {
  if (award.status === "paid" && award.pays_from === "rack") {
    return "rack";
  }
  const mark = award.manual_document ? " (manual)" : "";
  return award.document === null ? "" : `${award.document}${mark}`;
}

export function actsTable(container) {
  return new DataTable(container, {
    caption: "The last 100 acts",
    key: (act) => act.seq,
    kind: (act) => (act.outcome === "refused" ? "warn" : null),
    empty: "Nobody has done anything yet.",
    columns: [
      { label: "Who", value: (act) => act.who ?? "—" },
      { label: "What", value: (act) => actText(act) },
      { label: "About", value: aboutText },
      { label: "When", number: true, value: (act) => clockText(act.at) },
    ],
  });
}

const actText = (act) => actWord(act.act) + (act.outcome === "refused" ? ": refused" : "");

// A panel names its rounds after a number and a long key.
const shortRound = (round) => (round.length > 12 ? `${round.slice(0, 11)}…` : round);

function aboutText({ details, where }) {
  const { award, alarm, table, sign, name, key, code, note } = details;
  const round = details.round && `round ${shortRound(details.round)}`;
  const from = where && `from ${where}`;
  return [award, alarm, table, round, sign, name, key, code, note, from].filter(Boolean).join(" · ");
}
