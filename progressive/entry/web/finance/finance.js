// The page of finance: one link, one gaming day, and everything that reconciles it.

import { Refused } from "../kit/api.js";
import "../kit/contact.js";
import { h, setAttribute, setText } from "../kit/dom.js";
import { stepTaker } from "../pit/take_step.js";
import { me } from "../staff/account.js";
import { closingSteps } from "./acts.js";
import { closingView } from "./closing.js";
import { proposeCorrection, reviewCorrection } from "./corrections.js";
import { dayAfter, longDay, momentText, plainDay } from "./days.js";
import { showReportsOf } from "./day_reports.js";
import { showReports } from "./downloads.js";
import { entriesView, entryForms } from "./entries.js";
import { countText } from "./exact.js";
import { explainMeter } from "./explain.js";
import { meterName } from "./floor_names.js";
import { headView } from "./head.js";
import { recordLinks, recordsNamed, showRecords } from "./records.js";
import { Section } from "./section.js";
import { ask, dayPath, wasAborted } from "./service.js";
import { DayStrip } from "./strip.js";
import { balanceOf, tiesView } from "./ties.js";
import { findWork, workView } from "./work.js";

const EVERY_MS = 20_000;
const WATCHED_MS = 10 * 60_000;

const byId = (id) => document.getElementById(id);
const contact = document.querySelector("contact-state");
const links = [...byId("link").options].map((option) => option.value);
const names = [
  "work",
  "head",
  "ties",
  "meters",
  "closing",
  "payments",
  "cage",
  "liability",
  "pictures",
  "ledger",
  "entries",
];
const sections = Object.fromEntries(names.map((name) => [name, new Section(name)]));
const strip = new DayStrip(byId("strip"), (day) => go({ day }));

// Which day of which link; the day is null until the service has said which one is today.
const at = { link: links[0], day: null };
let line = null; // The days of the link, as listed.
let status = null;
let running = new AbortController();

// --- where --------------------------------------------------------------------------------------

function readAddress() {
  const asked = new URLSearchParams(location.search);
  const [link, day] = [asked.get("link"), asked.get("day")];
  at.link = links.includes(link) ? link : links[0];
  at.day = /^\d{4}-\d\d-\d\d$/.test(day ?? "") ? day : null;
  byId("link").value = at.link;
  saySomethingElse([
    link === null || link === at.link
      ? ""
      : `There is no link “${link}”: this is ${byId("link").selectedOptions[0].textContent}.`,
    day === null || day === at.day
      ? ""
      : `“${day}” is not a day like 2026-11-17: this is the day that runs.`,
  ]);
  return asked.get("records");
}

// The address asked for something that is not there: nobody should take what is shown for it.
function saySomethingElse(sentences) {
  const said = sentences.filter((each) => each !== "").join(" ");
  setText(byId("asked"), said);
  setAttribute(byId("asked"), "hidden", said === "");
}

function go(where) {
  saySomethingElse([]);
  Object.assign(at, where);
  const asked = new URLSearchParams({ link: at.link, ...(at.day === null ? {} : { day: at.day }) });
  history.pushState(null, "", `/finance?${asked}`);
  load();
}

// --- what ---------------------------------------------------------------------------------------

async function load({ again = false } = {}) {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  if (!again) {
    names.filter((name) => name !== "work").forEach((name) => sections[name].wait());
  }
  try {
    await loadDay(signal, again);
    contact.live();
  } catch (error) {
    if (wasAborted(error)) {
      return;
    }
    if (error instanceof Refused) {
      contact.live();
      showNothing(error);
    } else {
      contact.lost();
    }
  }
}

async function loadDay(signal, again) {
  const answer = await ask(`/v1/days?${new URLSearchParams({ link: at.link })}`, { signal });
  line = answer;
  at.day ??= line.today;
  drawWhich();
  const before = status?.journal_seq;
  status = await ask(dayPath(at), { signal });
  document.body.removeAttribute("data-empty");
  drawWhich(status);
  drawStatus();
  if (again && before === status.journal_seq) {
    return;
  }
  await showReportsOf(sections, {
    ...at,
    status,
    first: line.first_day,
    signal,
    forms: me.may("enter_figures") ? forms() : null,
  });
  await loadWork(signal);
}

async function loadWork(signal) {
  const strips = [];
  for (const link of links) {
    strips.push(
      link === at.link ? line : await ask(`/v1/days?${new URLSearchParams({ link })}`, { signal }),
    );
  }
  const items = await findWork(strips, me);
  signal.throwIfAborted();
  const mine = items.filter((item) => item.mine).length;
  setAttribute(byId("work"), "hidden", items.length === 0);
  setText(
    byId("work").querySelector('[data-part="count"]'),
    mine > 0 ? String(mine) : "waits for others",
  );
  sections.work.draw(items, () => workView(items, {
    openDay: (link, day) => {
      byId("link").value = link;
      go({ link, day });
      byId("head").scrollIntoView();
    },
    review: (view, mayDecide) => reviewCorrection(view, { mayDecide, done: changed }),
    take: async (step, award) => {
      await stepTaker({ me, meterName })(step, award);
      changed();
    },
  }));
}

// --- drawing ------------------------------------------------------------------------------------

// known: the checklist of a day, where it is newer than the strip.
function drawWhich(known = null) {
  const { today, first_day: first, days } = line;
  strip.show(
    days.map((each) => (each.day === known?.day ? { ...each, state: known.state } : each)),
    at.day,
  );
  const day = byId("day");
  day.value = at.day;
  setAttribute(day, "min", first);
  setAttribute(day, "max", today);
  setAttribute(byId("earlier"), "aria-disabled", at.day <= first ? "true" : null);
  setAttribute(byId("later"), "aria-disabled", at.day >= today ? "true" : null);
  setAttribute(byId("now"), "aria-pressed", String(at.day === today));
}

function drawStatus() {
  sections.head.draw(status, headView);
  sections.ties.draw(status.checks, tiesView);
  sections.closing.draw(status, () => closingView(status, { me, steps }));
  sections.entries.draw(
    status,
    () => entriesView(status, { forms: me.may("enter_figures") ? forms() : null }),
  );
  const { text, record, off } = balanceOf(status);
  const mark = byId("balance");
  setText(mark, `${off ? "" : "✓ "}${text}${record > 0 ? `, record ${countText(record)}` : ""}`);
  setAttribute(mark, "data-off", off);
  document.title = `${plainDay(at.day)}${off ? " (off)" : ""} — ${title}`;
}

const title = document.title;

// No such day, or no journal yet: the page says so, and when the day that runs will close.
function showNothing(error) {
  document.body.dataset.empty = "";
  names.filter((name) => name !== "head" && name !== "work").forEach(
    (name) => sections[name].draw(null, () => []),
  );
  setText(byId("balance"), "");
  const runs = line?.days.find((each) => each.state === "running");
  sections.head.draw([error.message, runs?.ends ?? ""], () =>
    h("div", { class: "nothing" }, h(
      "h2",
      {},
      at.day === null ? "No gaming day yet" : longDay(at.day),
    ), h("p", {}, `${error.message}.`.replace("..", ".")),
      runs === undefined
        ? null
        : h(
          "p",
          { class: "quiet" },
          `The day that runs now ends ${momentText(runs.ends)}; it can be closed from then on.`,
        ),
      runs === undefined ? null : h(
        "button",
        { type: "button", class: "primary", onclick: () => go({ day: line.today }) },
        "To the day that runs",
      )));
}

// --- acts ---------------------------------------------------------------------------------------

const changed = () => load();

function forms() {
  const end = status.over ? status.ends : new Date().toISOString();
  return entryForms({ ...at, me, end }, changed);
}

const steps = closingSteps(() => ({ ...at, status }), changed);

byId("link").addEventListener("change", (event) => go({ link: event.target.value, day: null }));
byId("day").addEventListener(
  "change",
  (event) => event.target.value !== "" && go({ day: event.target.value }),
);
byId("earlier").addEventListener(
  "click",
  () => at.day > line.first_day && go({ day: dayAfter(at.day, -1) }),
);
byId("later").addEventListener(
  "click",
  () => at.day < line.today && go({ day: dayAfter(at.day, 1) }),
);
byId("now").addEventListener("click", () => go({ day: line?.today ?? null }));
byId("reports").addEventListener("click", () => at.day !== null && showReports(at));
byId("explain").addEventListener(
  "click",
  () => explainMeter({ link: at.link, ends: status?.over ? status.ends : null }),
);
byId("correct")?.addEventListener("click", () =>
  proposeCorrection({ ...at, closed: status?.closed !== null, done: changed }));
window.addEventListener("popstate", () => {
  readAddress();
  load();
});

// What others do meanwhile; not under somebody's hands. A page that nobody touches asks nothing, so that
// it keeps nobody signed in.
let touchedAt = performance.now();
const isWatched = () => !document.hidden && performance.now() - touchedAt < WATCHED_MS;
for (const touch of ["pointerdown", "pointermove", "keydown", "scroll"]) {
  window.addEventListener(
    touch,
    () => {
      const back = !isWatched();
      touchedAt = performance.now();
      if (back) {
        look();
      }
    },
    { passive: true },
  );
}

function look() {
  if (isWatched() && document.querySelector("dialog[open]") === null) {
    load({ again: true });
  }
}

setInterval(look, EVERY_MS);

recordLinks(() => at.link);
const asked = readAddress();
if (!me.may("propose_correction")) {
  byId("correct")?.remove();
}
load().then(() => {
  const named = recordsNamed(asked);
  if (named !== null) {
    showRecords({ ...named, link: at.link, title: "Records" });
  }
});
