// The landing page: every link at a glance, asked for every few seconds while somebody looks.

import { get } from "../kit/api.js";
import "../kit/contact.js";
import { LinkPanels } from "./links.js";

const EVERY_MS = 2000;

const contact = document.querySelector("contact-state");
const panels = new LinkPanels([...document.querySelectorAll("[data-link]")]);

async function look() {
  if (!document.hidden) {
    try {
      panels.show((await get("/v1/links")).links);
      contact.live();
    } catch {
      contact.lost();
    }
  }
  setTimeout(look, EVERY_MS);
}

look();
