// What this sign is to show: from the floor file, by the page's own attributes; the address may ask
// for another look, to try it out.

import { LANGUAGE_TAGS } from "./words.js";

const LAYOUTS = ["meters", "strip", "paytable"];
const THEMES = ["midnight", "deco", "neon", "ivory"];

export function settingsOf(document) {
  const root = document.documentElement;
  const { sign, link, currency, timeZone, meters, bet } = document.body.dataset;
  const asked = new URLSearchParams(location.search);
  const choose = (name, known, given) =>
    known.includes(asked.get(name)) ? asked.get(name) : given;
  const layout = choose("layout", LAYOUTS, root.dataset.layout);
  const theme = choose("theme", THEMES, root.dataset.theme);
  const language = choose("language", Object.keys(LANGUAGE_TAGS), root.lang);
  root.dataset.layout = layout;
  root.dataset.theme = theme;
  root.lang = LANGUAGE_TAGS[language] ?? language;
  const list = (text) => (text ? text.split(",").filter((id) => id !== "") : []);
  return {
    sign,
    link,
    currency,
    timeZone,
    bet,
    layout,
    theme,
    language,
    meters: list(asked.get("meters") ?? meters),
  };
}
