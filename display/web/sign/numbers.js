// Whole cents to the signs that stand for them, in the language's own way. Integer arithmetic only:
// a float may never decide what a sign promises.

import { isCents } from "../kit/money.js";

const LOCALES = { en: "en-US", es: "es-US", zh: "zh-CN" };
const NOMINAL = 1234567.5;

export const localeOf = (language) => LOCALES[language] ?? LOCALES.en;

// A whole number of percent: "10%".
export const percentText = (percent, language) =>
  new Intl.NumberFormat(localeOf(language), { style: "percent" }).format(percent / 100);

// How the language writes money: what stands before, between and after the digits.
function pattern(language, currency) {
  const options = { style: "currency", currency, currencyDisplay: "narrowSymbol" };
  const marks = { before: "", after: "", group: ",", decimal: "." };
  let parts;
  try {
    parts = new Intl.NumberFormat(localeOf(language), options).formatToParts(NOMINAL);
  } catch {
    return { ...marks, before: currency ? `${currency}\u00a0` : "" };
  }
  let side = "before";
  for (const { type, value } of parts) {
    if (type === "integer") {
      side = "after";
    } else if (type === "group" || type === "decimal") {
      marks[type] = value;
    } else if (type === "currency" || type === "literal") {
      marks[side] += value;
    }
  }
  // Letters need room before the digits: "CHF 5.00", but "$5.00".
  if (/\p{L}$/u.test(marks.before)) {
    marks.before += "\u00a0";
  }
  return marks;
}

export class MoneyText {
  #marks;

  constructor(language, currency) {
    this.#marks = pattern(language, currency);
  }

  // "$12,345.67"
  exact(cents) {
    if (!isCents(cents)) {
      throw new RangeError(`not whole cents: ${cents}`);
    }
    const digits = String(cents).padStart(3, "0");
    return this.#written(digits.slice(0, -2), `${this.#marks.decimal}${digits.slice(-2)}`);
  }

  // "$5" where the cents are none: for wagers and limits.
  short(cents) {
    return cents % 100 === 0 ? this.#written(String(cents / 100), "") : this.exact(cents);
  }

  #written(units, rest) {
    const { before, after, group } = this.#marks;
    return `${before}${units.replace(/\B(?=(?:\d{3})+$)/g, group)}${rest}${after}`;
  }
}
