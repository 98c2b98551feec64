// The landing page: every link at a glance, asked for every few seconds while somebody looks.

import { get } from "../kit/api.js";
import "../kit/contact.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import "../kit/money.js";

const EVERY_MS = 2000;

const contact = document.querySelector("contact-state");
const panels = new Map(
  [...document.querySelectorAll("[data-link]")].map((panel) => [panel.dataset.link, panelOf(panel)]),
);

function panelOf(element) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  const meters = new KeyedList(part("meters"), {
    key: (meter) => meter.id,
    make: () => {
      const name = h("dt");
      const amount = h("money-amount");
      const update = (meter) => {
        setText(name, meter.name);
        setAttribute(amount, "cents", meter.cents);
      };
      return { element: h("div", {}, name, h("dd", {}, amount)), update };
    },
  });
  return (link) => {
    const live = link.state === "live";
    setText(part("state"), live ? "Live" : "Out of service");
    setAttribute(part("state"), "data-kind", live ? "good" : "bad");
    setText(part("reason"), link.reason ?? "");
    setAttribute(part("reason"), "hidden", live || !link.reason);
    meters.show(link.meters);
    const here = link.tables.filter((table) => table.connected).length;
    setText(part("tables"), `${here} of ${link.tables.length} tables connected`);
  };
}

async function look() {
  if (!document.hidden) {
    try {
      const { links } = await get("/v1/links");
      links.forEach((link) => panels.get(link.id)?.(link));
      contact.live();
    } catch {
      contact.lost();
    }
  }
  setTimeout(look, EVERY_MS);
}

look();
