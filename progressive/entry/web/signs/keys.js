// A sign's key: issued here, shown once, taken away here. The service records who did it.

import { post, remove } from "../kit/api.js";
import { ask } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { copyFrom } from "./copy.js";

export async function issueKey({ id, name, keyed }) {
  const warning = keyed
    ? "Whoever shows this sign by its present key is sent away until it has the new one."
    : "From then on only who holds the key may show this sign; whoever shows it now is sent away.";
  const issued = await ask({
    title: keyed ? `Replace the key of ${name}` : `Issue a key for ${name}`,
    body: [h("p", {}, warning)],
    confirm: keyed ? "Replace" : "Issue",
    danger: keyed,
    send: () => post(`/v1/signs/${encodeURIComponent(id)}/key`),
  });
  if (issued !== null) {
    await showOnce(name, new URL(issued.path, location.href).href);
  }
}

// The address carries the key: the sign opens it once and keeps the key as a cookie.
async function showOnce(name, address) {
  const field = h("input", {
    type: "text",
    readonly: true,
    value: address,
    "aria-label": `Kiosk address of ${name} with its key`,
  });
  const copy = h("button", { type: "button", onclick: () => copyFrom(field) }, "Copy");
  await ask({
    title: `The key of ${name}`,
    body: [
      h("p", {}, "Open this address on the sign. It is shown this once and kept nowhere."),
      h("div", { class: "address" }, field, copy),
    ],
    confirm: "I have it",
    send: () => true,
  });
}

export async function removeKey({ id, name }) {
  const removed = await ask({
    title: `Remove the key of ${name}`,
    body: [h("p", {}, "Anybody on the network may then show this sign and speak for it.")],
    confirm: "Remove",
    danger: true,
    send: () => remove(`/v1/signs/${encodeURIComponent(id)}/key`),
  });
  if (removed !== null) {
    toast(`${name} needs no key any more.`, { kind: "good" });
  }
}
