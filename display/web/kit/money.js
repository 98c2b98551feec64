// Whole cents to text. Integer arithmetic only: a float may never decide what a sign promises.

// As `money_text` in progressive/domain/money.py, with a space that is never broken: a test compares
// them.
const SYMBOLS = { USD: "$", GBP: "£" };

function markOf(currency) {
  return SYMBOLS[currency] ?? (currency ? `${currency}\u00a0` : "");
}

// A whole number of cents that a double holds exactly; anything else is not an amount.
export function isCents(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

// moneyFormat("USD")(1234567) is "$12,345.67".
export function moneyFormat(currency) {
  const mark = markOf(currency);
  return (cents) => {
    if (!isCents(cents)) {
      throw new RangeError(`not whole cents: ${cents}`);
    }
    const exact = BigInt(cents);
    const units = (exact / 100n).toString().replace(/\B(?=(?:\d{3})+$)/g, ",");
    const rest = (exact % 100n).toString().padStart(2, "0");
    return `${mark}${units}.${rest}`;
  };
}

// <money-amount cents="1234567">: an amount in the floor's currency, from <html data-currency>.
// Without whole cents it shows a dash, never a guess.
export class MoneyAmount extends HTMLElement {
  static observedAttributes = ["cents"];

  connectedCallback() {
    this.#draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.#draw();
    }
  }

  #draw() {
    const cents = Number(this.getAttribute("cents") || NaN);
    const text = isCents(cents) ? pageMoney(cents) : "—";
    if (this.textContent !== text) {
      this.textContent = text;
    }
  }
}

let pageFormat = null;

// An amount in the page's own currency, for text that is put together.
export function pageMoney(cents) {
  pageFormat ??= moneyFormat(document.documentElement.dataset.currency ?? "");
  return pageFormat(cents);
}

customElements.define("money-amount", MoneyAmount);
