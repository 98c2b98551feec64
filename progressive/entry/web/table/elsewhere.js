// Another node leads this table: what the dealer is told, with the way to that node's panel.

import { h } from "../kit/dom.js";

// `said`: the leader's address as the service gave it. Anything but http(s) is no link.
export function leadsElsewhere(said, path) {
  const panel = panelAt(said, path);
  const there = panel === null ? "there" : h("a", { href: panel }, panel);
  return [
    "Another node leads this table now. Open the panel ",
    ...(panel === null ? [there] : ["at ", there]),
    ". This panel goes on by itself when its own node leads again.",
  ];
}

function panelAt(said, path) {
  try {
    const url = new URL(`${said.trim().replace(/\/+$/, "")}${path}`);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}
