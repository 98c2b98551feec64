// Amounts as the service sends them, digit by digit. A double never holds one that it could round,
// and nothing is added up here that the service can add up.

import { pageMoney } from "../kit/money.js";

const CENT = 1_000_000n; // Microcents.
const MINUS = "−";
// A text, or a whole number of more digits than a double is sure of.
const LONG_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

// JSON whose long whole numbers come back as texts of digits.
export function parseExact(text) {
  return JSON.parse(
    text.replace(LONG_NUMBERS, (found) => (found[0] === '"' ? found : `"${found}"`)),
  );
}

export function isNothing(amount) {
  return amount === null || amount === undefined || BigInt(amount) === 0n;
}

// { sign, text, fraction }: "$1,234.56" and what lies below the cent, as "0004", without zeros behind.
export function exactParts(microcents) {
  const exact = BigInt(microcents);
  const size = exact < 0n ? -exact : exact;
  const fraction = (size % CENT).toString().padStart(6, "0").replace(/0+$/, "");
  const sign = exact < 0n ? MINUS : "";
  return { sign, text: pageMoney(Number(size / CENT)), fraction };
}

export function exactText(microcents) {
  const { sign, text, fraction } = exactParts(microcents);
  return `${sign}${text}${fraction}`;
}

export function centsText(cents) {
  const exact = BigInt(cents);
  return exact < 0n ? `${MINUS}${pageMoney(Number(-exact))}` : pageMoney(Number(exact));
}

export function percentText(ppm) {
  const size = Math.abs(ppm);
  const rest = String(size % 10000).padStart(4, "0").slice(0, 2);
  return `${ppm < 0 ? MINUS : ""}${Math.trunc(size / 10000)}.${rest}%`;
}

// Thousandths as a decimal: "−11.495".
export function milliText(thousandths) {
  const size = Math.abs(thousandths);
  const rest = String(size % 1000).padStart(3, "0");
  return `${thousandths < 0 ? MINUS : ""}${countText(Math.trunc(size / 1000))}.${rest}`;
}

export function countText(number) {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

// "1 payment", "2 payments".
export function counted(number, what) {
  return `${countText(number)} ${what}${Number(number) === 1 ? "" : "s"}`;
}

// How a column of a report is written.
export function cellText(value, kind) {
  if (value === null || value === undefined || value === "") {
    return "–";
  }
  switch (kind) {
    case "cents":
      return centsText(value);
    case "microcents":
      return exactText(value);
    case "milli":
      return milliText(Number(value));
    case "percent":
      return percentText(Number(value));
    case "int":
    case "ppm":
      return countText(value);
    default:
      return String(value);
  }
}

// Whole cents of what a person wrote ("1,234.5"), null where it is no amount. No float on the way.
export function centsOf(text) {
  const plain = text.replace(/[\s,$£]/g, "").replace(MINUS, "-");
  const found = /^(-?)(\d{1,13})(?:\.(\d{1,2}))?$/.exec(plain);
  if (found === null) {
    return null;
  }
  const [, sign, units, rest = ""] = found;
  const cents = Number(BigInt(units) * 100n + BigInt(rest.padEnd(2, "0")));
  return sign === "-" && cents !== 0 ? -cents : cents;
}
