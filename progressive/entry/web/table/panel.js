// The dealer panel: wires the socket, the table and its views together.

import "../kit/cards.js";
import "../kit/contact.js";
import { h, KeyedList, setAttribute, setText } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { LiveSocket, socketUrl } from "../kit/socket.js";
import { toast } from "../kit/toast.js";
import { signInAgain } from "../staff/account.js";
import { BettingDesk } from "./betting.js";
import { ConfirmBar } from "./confirm.js";
import { PayingDesk, WaitingDesk } from "./desk.js";
import { askAmounts, askBet, askMisdeal, askSeat } from "./dialogs.js";
import { leadsElsewhere } from "./elsewhere.js";
import { Keypad } from "./keypad.js";
import { Memory } from "./memory.js";
import { PaymentList } from "./payments.js";
import { guardPresses } from "./press_guard.js";
import { Seats } from "./seats.js";
import { SettlingDesk } from "./settling.js";
import { Table } from "./panel_model.js";
import { askSupervisor } from "./supervisor.js";

// The service ticks every second: two may be lost before the dealer is told to take no side bets.
const STALE_MS = 3000;
const TRY_AGAIN_MS = 3000;
const SIGN_IN_AGAIN = 4401;
const CONTROLLER_THERE = 4409;
const NOT_LEADER = 4503;

const NO_CONTACT = ["No contact with the service: take no side bets. The game goes on."];
const OUT_OF_SERVICE = ["The link is out of service: take no side bets. The game goes on."];

const MODES = {
  connecting: "Connecting",
  sending: "Sending",
  inoperable: "Side bets are off",
  elsewhere: "Not signed on",
  locked: "No more bets",
  paying: "Payments",
  betting: "Place your bets",
};

const panel = document.getElementById("panel");
const contact = document.querySelector("contact-state");
const notice = document.getElementById("notice");
const desk = document.getElementById("desk");
const mode = document.getElementById("mode");

const socket = new LiveSocket({
  url: socketUrl(`/v1/tables/${encodeURIComponent(panel.dataset.table)}/panel`),
  staleMs: STALE_MS,
  accept: hear,
  lost: () => {
    table.lost();
    contact.lost();
  },
  sentAway,
});

const table = new Table(new Memory(panel.dataset.table), {
  send: (message) => socket.send(message),
  changed: show,
  refused: ({ code, message }) => {
    // A count that was not the lights stays on the desk until the chips are counted again.
    if (code !== "CHIP_COUNT_MISMATCH") {
      toast(refusal(code, message), { kind: "bad" });
    }
  },
});

let away = null; // Why the service sent this panel away, if it did: texts, and a link perhaps.
let noticed = null; // What the notice says.

function hear(data) {
  let message;
  try {
    message = JSON.parse(data);
  } catch {
    return false;
  }
  away = null;
  table.hear(message);
  if (table.state !== null) {
    contact.live();
  }
  return true;
}

function sentAway(code, reason) {
  if (code === SIGN_IN_AGAIN) {
    signInAgain();
    return;
  }
  away = whyAway(code, reason);
  setTimeout(() => socket.restart(), TRY_AGAIN_MS);
  show();
}

function whyAway(code, reason) {
  switch (code) {
    case CONTROLLER_THERE:
      return ["This table is run by its own controller, or by too many panels. This panel waits."];
    case NOT_LEADER:
      return leadsElsewhere(reason, location.pathname);
    default:
      return [`The service refused this panel: ${reason || code}`];
  }
}

function refusal(code, message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return code === "MOVED_ON" ? `${text}. Look at the table, then go on.` : text;
}

// --- views ---

const seats = new Seats(document.getElementById("seats"), table, {
  openSeat: (seat) => {
    if (table.mayAct && table.wageredSeats.includes(seat)) {
      keypad.open(seat);
    } else if (table.takesBets && !table.placing.askedSeats.includes(seat)) {
      askSeat(table, seat);
    } else if (table.takesBets) {
      table.placing.choose(seat);
      // On a phone its keys are below the felt.
      desk.querySelector(".bases")?.scrollIntoView({ block: "nearest" });
    }
  },
  tapLight: (seat, bet) => table.placing.tap(seat, bet) || askBet(table, seat, bet),
});

const keypad = new Keypad(table, (seat) => {
  if (!table.prefs.full || !table.mayAct) {
    return null;
  }
  const open = (each) => each !== seat && table.cardsOf(each).cards.length === 0;
  return [...table.wageredSeats, "dealer"].find(open) ?? null;
});

const dealer = dealerHand(document.getElementById("dealer-hand"));
const meters = new KeyedList(document.getElementById("meters"), { key: (meter) => meter.id, make: meterOf });
const waiting = new PaymentList(table, "Cards to hold");
document.getElementById("waiting").replaceWith(waiting.element);
waiting.element.id = "waiting";

const confirm = new ConfirmBar(document.getElementById("confirm"), table, {
  signIn: () => askSupervisor(table.supervisor, "She confirms payouts at this panel, for some minutes."),
});

const views = { betting: BettingDesk, locked: SettlingDesk, paying: PayingDesk };
let view = null;
let viewOf = null;

function show() {
  const now = table.mode;
  panel.dataset.mode = now;
  panel.dataset.contact = table.inContact ? "live" : "lost";
  setText(mode, now === "betting" && !table.inContact ? MODES.inoperable : MODES[now]);
  showNotice();
  if (table.state === null) {
    showDesk("waiting");
    return;
  }
  seats.show();
  meters.show(table.state.meters);
  dealer.update();
  const held = table.payouts.waiting;
  waiting.show(held);
  setAttribute(waiting.element, "hidden", held.length === 0);
  confirm.update();
  showDesk(now in views ? now : "waiting");
  if (now === "locked") {
    keypad.show();
  } else if (now !== "sending") {
    keypad.close();
  }
}

function showDesk(name) {
  if (name !== viewOf) {
    view = new (views[name] ?? WaitingDesk)(table, {
      setAmounts: () => {
        const seat = table.placing.chosenSeat;
        return seat === null ? askAmounts(table) : askSeat(table, seat);
      },
      keyCards: (who, options) => table.mayAct && keypad.open(who, options),
      misdeal: () => table.mayAct && table.state.round.early === null && misdeal(),
    });
    viewOf = name;
    desk.replaceChildren(view.element);
  }
  view.update();
}

// Where the terms leave a misdeal to a supervisor, she signs in first.
async function misdeal() {
  const { supervisor } = table;
  if (table.state.round.void_needs_supervisor && !supervisor.isHere) {
    const why = "A supervisor voids this round: she signs in, then says why.";
    if ((await askSupervisor(supervisor, why)) === null) {
      return;
    }
  }
  await askMisdeal(table);
}

function showNotice() {
  const said = away ?? noticeText();
  setAttribute(notice, "hidden", said === null);
  if (said !== noticed) {
    noticed = said;
    notice.replaceChildren(...(said ?? []));
  }
}

function noticeText() {
  if (table.state === null) {
    return null;
  }
  if (!table.inContact) {
    return NO_CONTACT;
  }
  return table.state.state === "live" ? null : OUT_OF_SERVICE;
}

function meterOf() {
  const name = h("dt");
  const amount = h("dd");
  const update = (meter) => {
    setText(name, meter.name);
    setText(amount, pageMoney(meter.cents));
    setAttribute(amount, "data-meter", meter.id);
  };
  return { element: h("div", {}, name, amount), update };
}

function dealerHand(element) {
  const cards = h("span", { class: "cards" });
  const open = h(
    "button",
    { type: "button", class: "dealer-open", onclick: () => table.mayAct && keypad.open("dealer") },
    h("span", {}, "Dealer"),
    cards,
  );
  element.append(open);
  const update = () => {
    const locked = table.state.round !== null;
    const keyed = table.cardsShown("dealer");
    setAttribute(open, "hidden", !locked && keyed.length === 0);
    setAttribute(open, "aria-disabled", table.mayAct ? null : "true");
    setAttribute(open, "aria-label", keyed.length > 0 ? "Dealer: change cards" : "Dealer: key cards");
    if (cards.dataset.cards !== keyed.join(" ")) {
      cards.dataset.cards = keyed.join(" ");
      cards.replaceChildren(...keyed.map((card) => h("playing-card", { card })));
    }
  };
  return { update };
}

guardPresses();
show();
socket.start();
