// Taking a step: asked once more in a dialog, sent once however often it takes, told when done.

import { get, post, Refused } from "../kit/api.js";
import { cardRow } from "../kit/cards.js";
import { ask } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { pageMoney } from "../kit/money.js";
import { toast } from "../kit/toast.js";
import { sumText, whatText, whereText } from "./awards.js";
import { evidenceOf } from "./evidence.js";
import { REASON } from "./reason.js";
import { wasTaken } from "./steps.js";

const PAID_SHOWN_MS = 15000;

const DIALOGS = {
  validate: { title: "Validate this award?", confirm: "Light and cards are right" },
  approve: { title: "Approve this payment?", confirm: "Approve" },
  pay: {
    title: "Pay this award?",
    confirm: "Paid",
    fields: [
      {
        name: "document",
        label: "Document number of a manual series",
        hint: "Leave it empty and the service issues its next number.",
        maxLength: 64,
        pattern: "[!-~]*",
      },
    ],
  },
  proposeVoid: {
    title: "Void this award?",
    confirm: "Propose void",
    danger: true,
    words: "A second supervisor must agree. The rest of the round is then settled anew.",
    fields: [REASON],
  },
  approveVoid: { title: "Void this award for good?", confirm: "Void it", danger: true },
  withdrawVoid: { title: "Withdraw the void?", confirm: "Withdraw" },
};

const DONE = {
  validate: () => "Validated.",
  approve: () => "Payment approved.",
  pay: (award) => `Paid ${pageMoney(award.due_cents)}: document ${award.document}.`,
  proposeVoid: () => "Void proposed: a second supervisor must agree.",
  approveVoid: () => "Void. The rest of the round is settled anew.",
  withdrawVoid: () => "Withdrawn: the award stands.",
};

export function stepTaker({ me, meterName }) {
  return async (step, award) => {
    const dialog = DIALOGS[step.name];
    const done = await ask({
      ...dialog,
      body: [...summary(award, meterName), ...remarks(step, award, dialog)],
      send: (values) => send(step, award, values, me),
    });
    if (done !== null) {
      const shownMs = step.name === "pay" ? PAID_SHOWN_MS : undefined;
      toast(DONE[step.name](done), { kind: "good", shownMs });
    }
  };
}

function summary(award, meterName) {
  const cards = h("p", {}, "…");
  evidenceOf(award).then(
    ({ seat }) => cards.replaceChildren(seat?.cards.length ? cardRow(seat.cards) : "not keyed"),
    () => cards.replaceChildren(),
  );
  return [
    h("p", { class: "amount" }, pageMoney(award.due_cents)),
    ...(sumText(award) ? [h("p", { class: "sum" }, sumText(award))] : []),
    h("p", {}, `${whatText(award, meterName)} · ${whereText(award)}`),
    cards,
  ];
}

function remarks(step, award, { words }) {
  if (step.name === "approveVoid" || step.name === "withdrawVoid") {
    return [h("p", {}, `${award.void_proposed_by.name}: “${award.void_reason}”`)];
  }
  return words ? [h("p", { class: "quiet" }, words)] : [];
}

// Empty fields are left out: the service then decides.
async function send(step, award, values, me) {
  const path = `/v1/awards/${encodeURIComponent(award.award)}`;
  const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  try {
    return (await post(`${path}/${step.path}`, body)).award;
  } catch (error) {
    // The service went down after it had kept the step and before it had said so: sent again, it is
    // refused, because it is done.
    const now = error instanceof Refused && error.status < 500 ? await standing(path) : null;
    if (now !== null && wasTaken(step.name, now, me)) {
      return now;
    }
    throw error;
  }
}

async function standing(path) {
  try {
    return (await get(path)).award;
  } catch {
    return null;
  }
}
