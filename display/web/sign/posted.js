// The posted terms of a link: fetched, kept by the service worker, looked at again now and then.

import { clock } from "./clock.js";

const AGAIN_MS = 300000;
const RETRY_MS = 15000;

export class Posted {
  #url;
  #onTerms;
  #dueAt = 0;
  #asking = false;
  #text = "";

  // onTerms(terms) is called when they have changed; terms are null while there are none.
  constructor(link, onTerms) {
    this.#url = `/v1/links/${encodeURIComponent(link)}/posted`;
    this.#onTerms = onTerms;
  }

  beat() {
    if (!this.#asking && clock.now() >= this.#dueAt) {
      this.#asking = true;
      this.#ask().finally(() => {
        this.#asking = false;
      });
    }
  }

  async #ask() {
    let text = null;
    try {
      const answer = await fetch(this.#url);
      text = answer.ok ? await answer.text() : null;
    } catch {
      // The network is dead and nothing was kept: asked again below.
    }
    const terms = text === null ? null : readTerms(text);
    this.#dueAt = clock.now() + (terms === null ? RETRY_MS : AGAIN_MS);
    // What was posted stays posted: a failure to ask again changes no terms.
    if (terms !== null && text !== this.#text) {
      this.#text = text;
      this.#onTerms(terms);
    }
  }
}

function readTerms(text) {
  try {
    const terms = JSON.parse(text);
    return Array.isArray(terms.bets) && terms.bets.every((bet) => Array.isArray(bet.lines))
      ? terms
      : null;
  } catch {
    return null;
  }
}
