// The strip of gaming days, oldest first: one key a day with its state. Arrow keys walk along it.

import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { monthText, shortDay } from "./days.js";
import { DAY_STATES } from "./words.js";

export class DayStrip {
  #element;
  #list;
  #chosen = "";

  // choose(day) is called when somebody picks one.
  constructor(element, choose) {
    this.#element = element;
    const keys = h("ol", {});
    element.replaceChildren(keys);
    this.#list = new KeyedList(
      keys,
      { key: (line) => line.day, make: (line) => dayKey(line, choose) },
    );
    element.addEventListener("keydown", (event) => this.#walk(event));
  }

  show(lines, chosen) {
    const oldest = lines.toReversed();
    const rows = oldest.map((line, index) => ({
      ...line,
      chosen: line.day === chosen,
      month: index === 0 || line.day.slice(0, 7) !== oldest[index - 1].day.slice(0, 7),
    }));
    this.#list.show(rows);
    if (chosen !== this.#chosen) {
      this.#chosen = chosen;
      const key = this.#element.querySelector('[aria-current="date"]');
      // Not scrollIntoView: that would move the page as well.
      if (key !== null) {
        const { offsetLeft, offsetWidth } = key.parentElement;
        this.#element.scrollLeft = offsetLeft - this.#element.clientWidth / 2 + offsetWidth / 2;
      }
    }
  }

  #walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    const keys = [...this.#element.querySelectorAll("button")];
    keys[keys.indexOf(document.activeElement) + step]?.focus();
  }
}

function dayKey(line, choose) {
  const [weekday, number] = shortDay(line.day).replace(",", "").split(" ");
  const mark = h("span", { class: "mark", "aria-hidden": "true" });
  const state = h("span", { class: "state" });
  const button = h(
    "button",
    { type: "button", onclick: () => choose(line.day) },
    h("span", { class: "weekday" }, weekday),
    h("span", { class: "number" }, number),
    mark,
    state,
  );
  const month = h(
    "span",
    { class: "month", "aria-hidden": "true" },
    monthText(line.day).split(" ")[0],
  );
  const element = h("li", {}, month, button);
  const update = (row) => {
    const words = DAY_STATES[row.state] ?? { short: row.state, text: row.state, mark: "" };
    setAttribute(button, "data-state", row.state);
    setAttribute(button, "aria-current", row.chosen ? "date" : null);
    // One stop for Tab; the arrows go on from there.
    setAttribute(button, "tabindex", row.chosen ? "0" : "-1");
    setAttribute(button, "aria-label", `${shortDay(row.day)}: ${words.text}`);
    setText(mark, words.mark);
    setText(state, words.short);
    setAttribute(month, "hidden", !row.month);
  };
  return { element, update };
}
