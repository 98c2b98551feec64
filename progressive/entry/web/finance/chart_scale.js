// Axes of a chart: round steps, short labels. For the eye only: figures are written by exact.js.

import { pageMoney } from "../kit/money.js";
import { plainDay } from "./days.js";
import { countText, percentText } from "./exact.js";

// About so many round numbers that reach from low to high.
export function ticksBetween(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  const ticks = [];
  for (let at = Math.floor(low / step); at * step < high + step * 0.999; at += 1) {
    ticks.push(at * step);
  }
  return ticks;
}

const UNITS = { cents: 1, microcents: 1_000_000 };

// "$1,250", "$12.5k": as much as an axis has room for.
export function shortAmount(value, unit) {
  if (unit === "percent") {
    return percentText(Math.round(value)).replace(/\.?0+%$/, "%");
  }
  if (UNITS[unit] === undefined) {
    return countText(Math.round(value));
  }
  const cents = Math.round(Math.abs(value) / UNITS[unit]);
  const sign = value < 0 ? "−" : "";
  const mark = pageMoney(0).replace(/0\.00$/, "");
  const units = cents / 100;
  if (units >= 1_000_000) {
    return `${sign}${mark}${trimmed(units / 1_000_000)}M`;
  }
  if (units >= 10_000) {
    return `${sign}${mark}${trimmed(units / 1000)}k`;
  }
  return sign + (cents % 100 === 0 ? pageMoney(cents).replace(/\.00$/, "") : pageMoney(cents));
}

const trimmed = (number) => number.toFixed(2).replace(/\.?0+$/, "");

// "2026-10-30 08:00 -04:00", "2026-10-30 +2h", "2026-10-30" or a number.
export function labelText(x, all = null) {
  if (typeof x === "number") {
    return countText(x);
  }
  const found = /^(\d{4}-\d\d-\d\d)(?: (.+))?$/.exec(x);
  if (found === null) {
    return x;
  }
  const [, day, rest] = found;
  if (rest === undefined) {
    return plainDay(day);
  }
  const time = rest.split(" ")[0];
  // Of one day alone, or nearly, the hour says enough on an axis; of many days, the day.
  if (all !== null && typeof all[0] === "string") {
    const days = new Set(all.map((each) => String(each).slice(0, 10))).size;
    return days > 2 ? plainDay(day) : time;
  }
  return `${plainDay(day)} ${rest}`;
}
