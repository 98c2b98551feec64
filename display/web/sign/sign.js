// The sign page. Puts its parts together: what the feed vouches for goes to the amounts, to the
// layout and to the takeover; four times a second everything that depends on time alone is looked
// at.

import { LiveSocket, socketUrl } from "../kit/socket.js";
import { Amounts } from "./amounts.js";
import { Board } from "./board.js";
import { Beat, clock, stopwatch } from "./clock.js";
import { Drift } from "./drift.js";
import { comparePlaces, readFrame } from "./frames.js";
import { faceOf } from "./glyphs.js";
import { HEARD, Link, REFUSED, RESTART, TAKEN } from "./link.js";
import { Memory } from "./memory.js";
import { MoneyText } from "./numbers.js";
import { Offline } from "./offline.js";
import { Paytable } from "./paytable.js";
import { Posted } from "./posted.js";
import { ServiceClock } from "./service_clock.js";
import { settingsOf } from "./settings.js";
import { ShowingReport } from "./showing.js";
import { Status } from "./status.js";
import { Strip } from "./strip.js";
import { Takeover } from "./takeover.js";
import { STALE_MS, Truth } from "./truth.js";
import { Words } from "./words.js";

const SILENCE_MS = 5000; // A connection that says nothing this long is left for a new one.
const MEMORY_AFTER_MS = 1500; // So long a start may take before amounts are shown from memory.

const page = document.body;
const settings = settingsOf(document);
const words = new Words(settings.language);
const money = new MoneyText(settings.language, settings.currency);
const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");
const still = () => lessMotion.matches;

const link = new Link(settings.link);
const truth = new Truth();
const serviceClock = new ServiceClock();
const amounts = new Amounts(still);
const memory = new Memory(settings.sign, settings.link);
const offline = new Offline();
const face = faceOf(settings.theme);
const tools = { words, money, face, amounts, language: settings.language };
const status = new Status(page, words, settings);
const takeover = new Takeover(document.getElementById("takeover"), {
  ...tools,
  face: settings.layout === "strip" ? faceOf("pixel") : face,
  still,
  nameOf: (id) => link.nameOf(id),
  rankOf: (id) =>
    Math.min(
      3,
      Math.max(
        0,
        shownMeters().findIndex((meter) => meter.id === id),
      ),
    ),
  onMeter: (id) => layout.mark?.(id),
});
const layout = layoutOf(settings.layout);
const posted = new Posted(settings.link, post);
const drift = new Drift(document.getElementById("stage"));
const sinceStart = stopwatch();

let greeted = false; // Whether this connection has sent its snapshot.

const stream = new LiveSocket({ url: feedUrl, staleMs: SILENCE_MS, accept, lost });
const report = new ShowingReport((message) => stream.send(message));

function layoutOf(name) {
  const root = document.getElementById("layout");
  if (name === "strip") {
    return new Strip(root, tools);
  }
  return name === "paytable" ? new Paytable(root, tools, settings.bet) : new Board(root, tools);
}

// With the place on the glass, so that no win since then is missed.
function feedUrl() {
  const query = new URLSearchParams({ sign: settings.sign });
  if (link.place !== null) {
    query.set("epoch", link.place.epoch);
    query.set("seq", link.place.seq);
  }
  return socketUrl(`/v1/links/${encodeURIComponent(settings.link)}/feed?${query}`);
}

// The stream's question: is this frame good and current? Only then does it count as a sign of life.
function accept(data) {
  const frame = readFrame(data);
  // Before its snapshot a connection has nothing to say.
  if (frame === null || (frame.type !== "snapshot" && !greeted)) {
    return false;
  }
  const wasForsaken = truth.forsaken;
  const before = link.place;
  const verdict = link.take(frame, { forsaken: wasForsaken, first: !greeted });
  greeted ||= frame.type === "snapshot" && frame.link === settings.link;
  if (verdict === RESTART) {
    stream.restart();
  }
  if (verdict === TAKEN) {
    const moved = before === null || comparePlaces(before, link.place) !== 0;
    truth.word(frame.ageMs ?? 0, { moved });
  }
  if (verdict === TAKEN || verdict === HEARD) {
    listen(frame, { wasForsaken });
  }
  return verdict !== REFUSED && verdict !== RESTART;
}

function listen(frame, { wasForsaken }) {
  if (frame.type === "snapshot") {
    serviceClock.heard(frame.at, { exact: false });
    showMeters({ jump: wasForsaken });
    takeover.recall(frame.wins, serviceClock);
    // A new connection may lead to a new version of the service.
    offline.look(clock.now(), { force: true });
  } else if (frame.type !== "state") {
    serviceClock.heard(frame.at, { exact: true });
    takeover.told(serviceClock);
  }
  if (frame.type === "update") {
    showMeters({ jump: false });
  } else if (frame.type === "win") {
    takeover.announce(frame.win);
  }
  showState();
}

function shownMeters() {
  const { meters } = link;
  if (settings.meters.length === 0) {
    return meters;
  }
  const byId = new Map(meters.map((meter) => [meter.id, meter]));
  return settings.meters.filter((id) => byId.has(id)).map((id) => byId.get(id));
}

function showMeters({ jump }) {
  const { meters } = link;
  amounts.keep(meters.map((meter) => meter.id));
  if (jump) {
    amounts.jump(meters);
  } else {
    amounts.aim(meters);
  }
  layout.show(shownMeters());
  page.dataset.epoch = link.place.epoch;
  page.dataset.seq = link.place.seq;
}

function post(terms) {
  if (settings.layout === "paytable") {
    layout.post(terms);
  }
  const wagers = new Set(
    terms.bets.filter((bet) => bet.meters?.length > 0).map((bet) => bet.wager_cents),
  );
  const [wager] = wagers;
  const bet = terms.bets.find((one) => one.wager_cents === wager);
  const note = wagers.size === 1 && wager ? { amount: money.short(wager), name: bet.name } : null;
  document.getElementById("wager-note").textContent = note ? words.say("bet_on", note) : "";
}

function lost() {
  greeted = false;
  report.connectionLost();
  showState();
}

function state() {
  return truth.state(link.service);
}

function showState() {
  page.dataset.keeps = link.nothingKept ? "nothing" : "all";
  const ageMs = truth.ageMs;
  status.show({
    state: state(),
    ageMs,
    asOf: serviceClock.now() - ageMs,
    reason: link.service.reason,
    empty: link.empty,
    sinceStartMs: sinceStart(),
  });
}

// A start without a word from anybody: the last amounts, labelled as what they are.
function recallOnce() {
  if (link.place !== null || sinceStart() < MEMORY_AFTER_MS) {
    return;
  }
  const kept = memory.recall();
  if (kept !== null) {
    link.remember(kept);
    truth.remembered(Math.max(0, clock.wall() - kept.at));
    showMeters({ jump: true });
  }
}

function glass() {
  const now = state();
  if (link.place === null || now === "connecting") {
    return null;
  }
  const meters = shownMeters().map(({ id }) => ({ id, cents: amounts.read(id) }));
  return { place: link.place, state: now, meters };
}

function remember() {
  if (state() === "live" && !link.empty) {
    memory.beat({ place: link.place, meters: link.meters, at: serviceClock.now() });
  }
}

// A new version took over: loaded afresh while the amounts are good, so that it is a blink and no
// gap.
function renew() {
  offline.look(clock.now());
  if (offline.outdated && !takeover.active && truth.ageMs < STALE_MS) {
    location.reload();
  }
}

const beat = new Beat();
[
  recallOnce,
  showState,
  () => layout.beat(),
  () => takeover.beat(),
  () => posted.beat(),
  () => report.beat(glass()),
  remember,
  () => drift.beat(),
  renew,
].forEach((part) => beat.add(part));

layout.show([]);
showState();
posted.beat();
drift.beat();
stream.start();
beat.start();
offline.start();
