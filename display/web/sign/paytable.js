// The layout of posted terms: what each line pays and how rare it is, the wager and the rules
// beside it, with the live amounts inside the lines that pay them.

import { clock } from "./clock.js";
import { localeOf, percentText } from "./numbers.js";
import { Reels } from "./reels.js";

const TURN_MS = 15000;
const SIDE_BY_SIDE = 2;

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function asRow(row, cells) {
  row.setAttribute("role", "row");
  [...row.children].forEach((cell) => cell.setAttribute("role", cells));
  return row;
}

export class Paytable {
  #root;
  #tools;
  #bet;
  #bets;
  #meters = [];
  #reels = []; // [meter id, reels]
  #terms = null;
  #page = 0;
  #ems = 0;

  // `bet` is the one whose lines are posted; empty: all.
  constructor(root, tools, bet) {
    this.#root = root;
    this.#tools = tools;
    this.#bet = bet;
    this.#bets = make("div", "bets");
    this.#root.append(this.#bets);
  }

  show(meters) {
    const before = this.#meters.map(({ id, name }) => `${id} ${name}`).join();
    this.#meters = meters;
    if (
      before !== meters.map(({ id, name }) => `${id} ${name}`).join() ||
      this.#reels.length === 0
    ) {
      this.#rebuild();
    }
  }

  post(terms) {
    this.#terms = terms;
    this.#rebuild();
  }

  // The line of a meter that is being celebrated stands out.
  mark(meter) {
    for (const line of this.#bets.querySelectorAll(".line[data-meter]")) {
      line.classList.toggle("won", line.dataset.meter === meter);
    }
  }

  beat() {
    this.#reels.forEach(([, reels]) => reels.settle());
    const pages = Math.ceil(this.#bets.children.length / SIDE_BY_SIDE);
    const page = Math.floor(clock.now() / TURN_MS) % Math.max(1, pages);
    if (page !== this.#page) {
      this.#page = page;
      this.#turn();
    }
  }

  #turn() {
    [...this.#bets.children].forEach((bet, index) => {
      bet.hidden = Math.floor(index / SIDE_BY_SIDE) !== this.#page;
    });
    const shown = [...this.#bets.children].filter((bet) => !bet.hidden);
    this.#bets.dataset.count = shown.length;
  }

  #rebuild() {
    for (const [id, reels] of this.#reels) {
      this.#tools.amounts.detach(id, reels);
    }
    this.#reels = [];
    const wanted = (this.#terms?.bets ?? []).filter((bet) => !this.#bet || bet.id === this.#bet);
    const cards = wanted.length > 0 ? wanted.map((bet) => this.#betCard(bet)) : [this.#without()];
    this.#bets.replaceChildren(...cards);
    this.#page = 0;
    this.#turn();
    for (const [id, reels] of this.#reels) {
      this.#tools.amounts.attach(id, reels);
    }
  }

  // No terms yet: the amounts are still true, and it is said that the rest is missing.
  #without() {
    const { words } = this.#tools;
    const rows = this.#meters.map((meter, rank) => {
      const row = make(
        "div",
        "line",
        make("span", "line-name", meter.name),
        this.#amount(meter.id),
      );
      row.dataset.rank = Math.min(rank, 3);
      return row;
    });
    const card = make(
      "section",
      "bet no-terms",
      ...rows,
      make("p", "missing", words.say("no_terms")),
    );
    card.style.setProperty("--rows", rows.length + 2);
    return card;
  }

  #betCard(bet) {
    const { words } = this.#tools;
    const title = make("h2", "bet-name", bet.name);
    const wager = make("p", "bet-wager", this.#wager(bet));
    const lines = bet.lines.map((line) => this.#line(line));
    const body = make("div", "lines", this.#lineHead(bet), ...lines);
    body.setAttribute("role", "table");
    const rules = make("ul", "rules", ...this.#rules(bet).map((text) => make("li", "", text)));
    const card = make("section", "bet", make("div", "bet-head", title, wager), body);
    if ((bet.free_bonus ?? []).length > 0) {
      card.append(this.#bonus(bet));
    }
    card.append(rules);
    card.dataset.bet = bet.id;
    card.style.setProperty(
      "--rows",
      bet.lines.length + ((bet.free_bonus ?? []).length > 0 ? 1 : 0),
    );
    card.style.setProperty("--rules", rules.children.length);
    return card;
  }

  #wager({ wager_cents: wager, min_cents: min, max_cents: max }) {
    const { words, money } = this.#tools;
    if (wager) {
      return words.say("bet", { amount: money.short(wager) });
    }
    return min && max
      ? words.say("bet_between", { min: money.short(min), max: money.short(max) })
      : "";
  }

  #lineHead(bet) {
    const { words } = this.#tools;
    const odds = bet.lines.some((line) => line.one_in) ? words.say("odds") : "";
    const head = make(
      "div",
      "line head",
      make("span", "line-name", ""),
      make("span", "line-pays", words.say("pays")),
      make("span", "line-odds", odds),
    );
    return asRow(head, "columnheader");
  }

  #line(line) {
    const { words } = this.#tools;
    const name = make("span", "line-name", words.line(line.names, line.name));
    const pays = make("span", "line-pays");
    const row = make("div", "line", name, pays);
    if (line.meter) {
      const rank = this.#meters.findIndex((meter) => meter.id === line.meter);
      row.dataset.meter = line.meter;
      row.dataset.rank = rank === -1 ? 3 : Math.min(rank, 3);
      name.append(make("span", "share", this.#share(line)));
      pays.append(this.#amount(line.meter));
    } else if (line.for_one) {
      pays.append(words.say("for_one", { n: this.#whole(line.for_one) }));
    } else if (line.to_one) {
      pays.append(words.say("to_one", { n: this.#whole(line.to_one), per: line.per ?? 1 }));
    }
    const odds = line.one_in ? words.say("one_in", { n: this.#odds(line.one_in) }) : "";
    row.append(make("span", "line-odds", odds));
    row.dataset.line = line.id;
    return asRow(row, "cell");
  }

  #share({ meter, share_percent: percent }) {
    const { words, language } = this.#tools;
    const name = this.#nameOf(meter);
    if (percent === 100) {
      return words.say("whole_meter", { meter: name });
    }
    return words.say("share_of", { share: percentText(percent, language), meter: name });
  }

  #nameOf(id) {
    return this.#meters.find((meter) => meter.id === id)?.name ?? id;
  }

  #amount(id) {
    const reels = new Reels({ ...this.#tools, onWidth: (ems) => this.#makeRoom(ems) });
    this.#reels.push([id, reels]);
    return reels.element;
  }

  // All amounts are sized by the widest of them: a shorter one is not a larger one.
  #makeRoom(ems) {
    if (ems > this.#ems) {
      this.#ems = ems;
      this.#bets.style.setProperty("--line-ems", ems.toFixed(3));
    }
  }

  // The service writes "250,666" or "13.2"; the language may write it otherwise.
  #odds(text) {
    const number = Number(String(text).replaceAll(",", ""));
    return Number.isFinite(number)
      ? new Intl.NumberFormat(localeOf(this.#tools.language), { maximumFractionDigits: 1 }).format(
          number,
        )
      : text;
  }

  #whole(number) {
    return new Intl.NumberFormat(localeOf(this.#tools.language)).format(number);
  }

  #bonus(bet) {
    const { words, money } = this.#tools;
    const items = bet.free_bonus.map(
      (line) => `${words.line(line.names, line.name)}: ${money.short(line.bonus_cents)}`,
    );
    const terms = words.say("free_bonus_terms", {
      amount: money.short(bet.free_bonus_min_cents ?? 0),
    });
    return make(
      "p",
      "bonus",
      make("strong", "", words.say("free_bonus")),
      ` ${items.join(" · ")}`,
      make("span", "bonus-terms", ` (${terms})`),
    );
  }

  #rules(bet) {
    const { words, money } = this.#tools;
    const rules = [];
    for (const terms of bet.meters ?? []) {
      const { id, name, reset_cents: reset, limit_cents: limit } = terms;
      const meter = name || this.#nameOf(id);
      rules.push(...this.#startsAgain(meter, reset, terms.reset_rate_ppm));
      if (limit > 0) {
        rules.push(words.say("limit", { meter, amount: money.short(limit) }));
      }
    }
    rules.push(words.say("highest_only"), ...this.#conditions(bet));
    if (bet.clause) {
      rules.push(bet.clause);
    }
    return rules;
  }

  // A reserve is mentioned only where a part of each wager goes into one. An older service does not
  // say whether it does: without an amount nothing can be said of it then.
  #startsAgain(meter, reset, reserveRate) {
    const { words, money } = this.#tools;
    const amount = money.short(reset ?? 0);
    if (reserveRate > 0) {
      const key = reset > 0 ? "starts_again_both" : "starts_again_reset";
      return [words.say(key, { meter, amount })];
    }
    const known = reset > 0 || reserveRate === 0;
    return known ? [words.say("starts_again", { meter, amount })] : [];
  }

  // What has to be so for a win, and how the cards are dealt.
  #conditions(bet) {
    const { words } = this.#tools;
    const { decks, soft17 } = this.#terms;
    const told = [
      [(bet.meters ?? []).length > 0, `order_${bet.payment_order}`],
      [bet.capped_by_base_wager, "capped_by_base"],
      [bet.needs_base_wager && !bet.capped_by_base_wager, "needs_base"],
      [bet.dealing_option, `dealing_${bet.dealing_option}`],
      [bet.player_points_max, "points_max", bet.player_points_max],
      [soft17, `soft17_${soft17}`],
      [decks, "decks", decks],
    ];
    return told
      .filter(([holds, key]) => holds && words.has(key))
      .map(([, key, n]) => words.say(key, { n }));
  }
}
