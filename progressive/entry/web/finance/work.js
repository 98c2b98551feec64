// My work: what waits for whoever is signed in, oldest first; approvals drawn as steps with names.
// What is known of it is put together here, pure; asking for it is at the end.

import { h } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { get } from "../kit/api.js";
import { missingApprovals, stepsFor, waitsFor } from "../pit/steps.js";
import { parseExact } from "./exact.js";
import { momentText, shortDay } from "./days.js";
import { meterName } from "./floor_names.js";
import { ask, dayPath } from "./service.js";
import { stepsLine } from "./steps_line.js";
import { isMe } from "./words.js";
import { waitingPreparation } from "./closing.js";

const SHOWN_MAX = 8;
const PREPARED_MAX = 6;

// acts: openDay(link, day), review(correction), take(step, award).
export function workView(items, acts) {
  const shown = items.slice(0, SHOWN_MAX);
  const rest = items.length - shown.length;
  return [
    h("ul", { class: "work" }, shown.map((item) => workRow(item, acts))),
    rest > 0 ? h("p", { class: "quiet small more" }, `and ${rest} more, younger than these`) : null,
  ];
}

function workRow(item, acts) {
  const row = rowOf(item, acts);
  return h(
    "li",
    { "data-work": item.kind, "data-mine": item.mine },
    h(
      "div",
      { class: "what" },
      h("strong", {}, row.title),
      h("span", { class: "quiet small" }, row.detail),
    ),
    row.steps === null ? h("span", {}) : stepsLine(row.steps),
    h("div", { class: "keys" }, row.keys),
  );
}

const key = (text, act, primary = true) =>
  h("button", { type: "button", class: primary ? "primary" : null, onclick: act }, text);

function rowOf(item, acts) {
  switch (item.kind) {
    case "day": {
      const ready = item.status.keeps_open.length === 0;
      const open = item.status.keeps_open.length;
      return {
        title: `${ready ? "Prepare" : "Reconcile"} ${shortDay(item.day)}`,
        detail: ready
          ? "nothing keeps it from closing"
          : `${open} ${open === 1 ? "thing keeps" : "things keep"} it from closing${item.behind > 0 ? `; ${item.behind} more days are open behind it` : ""}`,
        steps: [{ text: "Prepare", by: null }, { text: "Review", by: null }],
        keys: [key(ready ? "Prepare" : "Look", () => acts.openDay(item.link, item.day), ready)],
      };
    }
    case "prepared":
      return {
        title: `${item.mine ? "Close" : "Prepared:"} ${shortDay(item.day)}`,
        detail: `prepared ${momentText(item.at)}`,
        steps: [{ text: "Prepared", by: item.by[0] }, { text: "Review", by: null }],
        keys: [
          key(item.mine ? "Review" : "Look", () => acts.openDay(item.link, item.day), item.mine),
        ],
      };
    case "correction": {
      const { view } = item;
      const meters = new Set(view.legs.map((leg) => meterName(view.link, leg.meter)));
      return {
        title: `Correction: ${[...meters].join(" and ")}`,
        detail: `“${view.reason}”`,
        steps: [{ text: "Proposed", by: view.proposed_by.name }, { text: "Approve", by: null }],
        keys: [key(item.mine ? "Review" : "Look", () => acts.review(view, item.mine), item.mine)],
      };
    }
    default: {
      const { award } = item;
      const approvals = [...award.approved_by.map((by) => ({ text: "Approved", by: by.name })),
        ...Array.from({ length: missingApprovals(award) }, () => ({ text: "Approve", by: null }))];
      return {
        title: `${item.steps[0]?.name === "approve" ? "Approve" : "Pay"} ${pageMoney(award.due_cents)}`,
        detail: `${award.award} · ${award.table}, seat ${award.seat} · ${momentText(award.at)}${item.mine ? "" : ` · ${item.waits}`}`,
        steps: [
          { text: "Validated", by: award.validated_by?.name ?? null },
          ...approvals,
          { text: "Pay", by: null },
        ],
        keys: item.steps.map((step, at) => key(step.label, () => acts.take(step, award), at === 0)),
      };
    }
  }
}

// --- what there is ---------------------------------------------------------------------------------

// strips: the days of each link, as the service lists them. Oldest first; what waits for others last.
export async function findWork(strips, me) {
  const found = [
    ...(await dayWork(strips, me)),
    ...(await correctionWork(strips, me)),
    ...(await awardWork(me)),
  ];
  return found.sort(
    (one, other) => Number(other.mine) - Number(one.mine) || one.at.localeCompare(other.at),
  );
}

async function dayWork(strips, me) {
  const found = [];
  if (!me.may("prepare_day") && !me.may("close_day")) {
    return found;
  }
  for (const { link, days } of strips) {
    const over = days.toReversed();
    const closed = over.findLastIndex(
      (line) => line.state === "closed" || line.state === "restated",
    );
    // Days before the first close stay as they are; behind the last one, one after the other.
    const open = over.slice(closed + 1).filter(
      (line) => line.state === "open" || line.state === "ready",
    );
    if (open.length > 0 && !over.slice(closed + 1).some((line) => line.state === "prepared")) {
      const [due] = open;
      const status = await ask(dayPath({ link, day: due.day }));
      found.push(
        {
          kind: "day",
          mine: true,
          at: due.ends,
          link,
          day: due.day,
          status,
          behind: open.length - 1,
        },
      );
    }
    for (const line of over.filter((each) => each.state === "prepared").slice(0, PREPARED_MAX)) {
      const preparation = waitingPreparation(await ask(dayPath({ link, day: line.day })));
      if (preparation !== null) {
        const mine = me.may("close_day") && !preparation.by.some((by) => isMe(by, me));
        found.push(
          { kind: "prepared", mine, at: preparation.at, link, day: line.day, by: preparation.by },
        );
      }
    }
  }
  return found;
}

async function correctionWork(strips, me) {
  const found = [];
  for (const { link } of me.may("view_hidden_meters") ? strips : []) {
    const path = `/v1/links/${encodeURIComponent(link)}/corrections`;
    for (const view of (await get(path, { parse: parseExact })).corrections) {
      const same = view.proposed_by.department.trim().toLowerCase() === me.department.trim().toLowerCase();
      const mine = me.may("approve_correction") && !same && !isMe(view.proposed_by, me);
      const seq = view.correction.split(".").at(-1);
      const { records } = await ask(
        `/v1/links/${encodeURIComponent(link)}/records?from=${seq}&to=${seq}`,
      );
      found.push({ kind: "correction", mine, at: records[0]?.at ?? "", view });
    }
  }
  return found;
}

async function awardWork(me) {
  const { awards } = await get("/v1/awards");
  return awards
    .filter((award) => award.status === "validated" && award.void_proposed_by === null)
    .map((award) => {
      const steps = stepsFor(award, me).filter(
        (step) => step.name === "pay" || step.name === "approve",
      );
      return {
        kind: "award",
        mine: steps.length > 0,
        at: award.at,
        award,
        steps,
        waits: waitsFor(award, me),
      };
    });
}
