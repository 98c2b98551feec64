// The pit console: the floor as the pit socket tells it, and the steps of whoever is signed in.

import { setAttribute, setText } from "../kit/dom.js";
import "../kit/contact.js";
import { pageMoney } from "../kit/money.js";
import { LiveSocket, socketUrl } from "../kit/socket.js";
import { me, signInAgain } from "../staff/account.js";
import { LinkPanels } from "../staff/links.js";
import { AlarmList } from "./alarms.js";
import { Announcer } from "./announce.js";
import { AwardList, whatText, whereText } from "./awards.js";
import { FloorBoard, isFinal } from "./board.js";
import { keepEvidence } from "./evidence.js";
import { actsTable, finishedTable, signsTable, tablesTable } from "./lists.js";
import { roundSteps } from "./rounds.js";
import { stepTaker } from "./take_step.js";

const STALE_MS = 5000; // The service speaks once a second at the least.
const HERE_EVERY_MS = 60000;
const SESSION_OVER = 4401;

const byId = (id) => document.getElementById(id);
const board = new FloorBoard();
const meterName = (link, meter) => board.meterName(link, meter);
const contact = document.querySelector("contact-state");
const announcer = new Announcer({
  button: byId("sound"),
  notify: byId("notify"),
  line: byId("announcer"),
});
const panels = new LinkPanels([...document.querySelectorAll("[data-link]")]);
const alarms = new AlarmList(byId("alarms"), { me });
const { confirmRound, voidRound } = roundSteps();
const open = byId("awards");
const awards = new AwardList(open.querySelector(".award-list"), {
  me,
  take: stepTaker({ me, meterName }),
  confirmRound,
  meterName,
});
const tables = tablesTable(byId("tables"), { me, voidRound });
const signs = signsTable(byId("signs"));
const finished = finishedTable(byId("finished"), { meterName });
const acts = actsTable(byId("acts"));

const socket = new LiveSocket({
  url: socketUrl("/v1/pit/socket"),
  staleMs: STALE_MS,
  accept,
  lost,
  sentAway: (code) => (code === SESSION_OVER ? signInAgain() : location.reload()),
});

function accept(data, fresh) {
  const come = board.take(parsed(data), fresh);
  if (come === null) {
    return false;
  }
  come.filter((award) => !isFinal(award)).forEach(announce);
  contact.live();
  delete document.body.dataset.stale;
  renderSoon();
  return true;
}

function parsed(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function lost() {
  contact.lost();
  // What nobody vouches for must not look like what somebody does.
  document.body.dataset.stale = "";
}

function announce(award) {
  const title = `Award ${pageMoney(award.due_cents)}`;
  announcer.announce(title, `${whatText(award, meterName)}, ${whereText(award)}`);
}

let rendering = 0;

// A hidden page draws nothing; it hears awards all the same.
function renderSoon() {
  rendering ||= requestAnimationFrame(() => {
    rendering = 0;
    render();
  });
}

function render() {
  const waiting = board.openAwards;
  panels.show([...board.links.values()]);
  alarms.show([...board.alarms.values()]);
  awards.show(waiting);
  keepEvidence(waiting);
  const count = open.querySelector('[data-part="count"]');
  setText(count, String(waiting.length));
  setAttribute(count, "data-kind", waiting.length > 0 ? "warn" : null);
  setAttribute(open.querySelector(".empty"), "hidden", waiting.length > 0);
  const floor = board.tablesToWatch;
  tables.show(floor);
  setText(byId("tables-count"), countText(floor));
  signs.show([...board.signs.values()]);
  finished.show(board.finishedAwards);
  acts.show(board.acts);
  document.title = `${waiting.length > 0 ? `(${waiting.length}) ` : ""}${title}`;
}

const title = document.title;

function countText(floor) {
  const here = floor.filter((table) => table.connected).length;
  const playing = floor.filter((table) => table.state === "locked").length;
  return `${here} of ${floor.length} connected, ${playing} with a round open`;
}

// A person at the console keeps the session from falling idle; the open page alone does not.
let heardAt = -Infinity;
for (const touch of ["pointerdown", "keydown"]) {
  window.addEventListener(touch, () => {
    if (performance.now() - heardAt > HERE_EVERY_MS && socket.send({ type: "here" })) {
      heardAt = performance.now();
    }
  });
}

socket.start();
