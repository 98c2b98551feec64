// Links as panels: state, reason, and the meters on display.

import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import "../kit/money.js";

export class LinkPanels {
  #panels;

  constructor(elements) {
    this.#panels = new Map(elements.map((element) => [element.dataset.link, panelOf(element)]));
  }

  show(links) {
    links.forEach((link) => this.#panels.get(link.id)?.(link));
  }
}

function panelOf(element) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  const meters = new KeyedList(part("meters"), { key: (meter) => meter.id, make: meterRow });
  return (link) => {
    const live = link.state === "live";
    setText(part("state"), live ? "Live" : "Out of service");
    setAttribute(part("state"), "data-kind", live ? "good" : "bad");
    setText(part("reason"), link.reason ?? "");
    setAttribute(part("reason"), "hidden", live || !link.reason);
    meters.show(link.meters);
    if (part("node") !== null) {
      showNode(part, link);
    }
    if (link.tables !== undefined && part("tables") !== null) {
      const here = link.tables.filter((table) => table.connected).length;
      setText(part("tables"), `${here} of ${link.tables.length} tables connected`);
    }
  };
}

const DUTIES = {
  leads: "This node leads",
  follows: "This node follows",
  waits: "No node leads now: this one waits",
};

// Of several nodes: whether this one writes the link, and where the one is that does.
function showNode(part, { node, leader }) {
  setAttribute(part("node"), "hidden", !node);
  setAttribute(part("node"), "data-duty", node);
  setText(part("duty"), DUTIES[node] ?? "");
  setText(part("leader"), leader ?? "");
  setAttribute(part("leader"), "href", leader);
}

function meterRow() {
  const name = h("dt");
  const amount = h("money-amount");
  const update = (meter) => {
    setText(name, meter.name);
    setAttribute(amount, "cents", meter.cents);
  };
  return { element: h("div", {}, name, h("dd", {}, amount)), update };
}
