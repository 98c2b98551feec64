// Page state to what guests see. Decides what may be shown as current: only a value that the open
// connection has vouched for within the last seconds. Makes no amount up, ever.

import { CURRENT, LATER_EPOCH, OLDER, orderOf, readFrame } from "./frames.js";
import { Board } from "./board.js";
import { moneyFormat } from "./kit/money.js";
import { LiveSocket, socketUrl } from "./kit/socket.js";
import { ShowingReport } from "./showing.js";
import { WinBanner } from "./wins.js";

const page = document.body;
const { sign, link, currency, staleMs } = page.dataset;

const money = moneyFormat(currency);
const board = new Board(document.getElementById("meters"), document.getElementById("probe"), money);
const banner = new WinBanner(document.getElementById("win"));
const headline = document.getElementById("headline");
const reason = document.getElementById("reason");

// What is on the glass; null until the first snapshot. `at` is the service's time of the last frame
// that vouched for it, in milliseconds.
let shown = null;
let service = { operable: false, reason: "" };
let connected = false;

const feedUrl = socketUrl(
  `/v1/links/${encodeURIComponent(link)}/feed?sign=${encodeURIComponent(sign)}`,
);

const stream = new LiveSocket({ url: feedUrl, staleMs: Number(staleMs), accept, lost });
const report = new ShowingReport((message) => stream.send(message));

// The stream's question: is this frame good and current? Only then does it count as a sign of life.
function accept(data, fresh) {
  const frame = readFrame(data);
  // Before its snapshot a connection has nothing to say.
  if (frame === null || (fresh && frame.type !== "snapshot")) {
    return false;
  }
  const accepted = handlers[frame.type](frame, fresh);
  if (accepted) {
    connected = true;
    showState();
  }
  return accepted;
}

const handlers = {
  // The first snapshot of a connection is the truth, even if it is behind what is shown: the
  // service may have been restored from a copy. After it, older ones are late, not true.
  snapshot(frame, fresh) {
    if (frame.link !== link || (!fresh && orderOf(frame, shown) === OLDER)) {
      return false;
    }
    board.replace(frame.meters);
    service = frame.service;
    nowShowing(frame);
    frame.wins.forEach(announce);
    return true;
  },

  update(frame) {
    const order = orderOf(frame, shown);
    if (order === OLDER) {
      return false;
    }
    // An amount this board cannot name, or one left over from another epoch, needs a snapshot.
    const placeable =
      (order === CURRENT && !board.empty) || (order === LATER_EPOCH && board.allIn(frame.meters));
    if (!placeable) {
      stream.restart();
      return false;
    }
    board.update(frame.meters);
    nowShowing(frame);
    return true;
  },

  // Never skipped: a win may be overtaken by newer amounts, so within its epoch the order is no
  // matter. Its next_cents is left to the update that follows: a banner is not a meter.
  win(frame) {
    if (frame.epoch !== shown.epoch) {
      return sameEpoch(frame);
    }
    announce(frame.win);
    vouch(frame);
    return true;
  },

  state(frame) {
    const reopened = frame.service.operable && !service.operable;
    service = frame.service;
    if (reopened && board.empty) {
      stream.restart();
      return false;
    }
    return true;
  },

  tick(frame) {
    if (orderOf(frame, shown) !== CURRENT) {
      return sameEpoch(frame);
    }
    vouch(frame);
    return true;
  },
};

// For frames that carry no amounts: one from the past is dropped, one from a later or unknown epoch
// proves that the amounts shown are no longer the service's.
function sameEpoch(frame) {
  if (orderOf(frame, shown) !== OLDER) {
    stream.restart();
  }
  return false;
}

function nowShowing({ epoch, seq, at }) {
  shown = { epoch, seq, at: at ?? Date.now() };
  page.dataset.epoch = epoch;
  page.dataset.seq = seq;
  report.shown(seq);
}

function vouch({ at }) {
  shown.at = Math.max(shown.at, at ?? Date.now());
}

function lost() {
  connected = false;
  report.connectionLost();
  showState();
}

function announce(win) {
  const name = win.meter === null ? null : (board.nameOf(win.meter) ?? win.meter);
  banner.announce({
    award: String(win.award),
    title: name === null ? "Winner!" : `${name} won!`,
    amount: money(win.cents),
    place: `Table ${win.table}, seat ${win.seat}`,
  });
}

function clockText(time) {
  const date = new Date(time);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function stateNow() {
  if (shown === null) {
    return { state: "connecting", text: "Connecting", detail: "" };
  }
  if (!connected) {
    const asOf = `Amounts as of ${clockText(shown.at)} — reconnecting`;
    const text = board.empty ? "Reconnecting" : asOf;
    return { state: "stale", text, detail: "" };
  }
  if (!service.operable) {
    return { state: "inoperable", text: "Temporarily out of service", detail: service.reason };
  }
  return { state: "live", text: "Live", detail: "" };
}

// Text is set only when it differs, so that a screen reader hears a change and not every tick.
function showState() {
  const { state, text, detail } = stateNow();
  page.dataset.state = state;
  setText(headline, text);
  setText(reason, detail);
}

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

board.replace([]);
showState();
stream.start();
