// A correction: what is wrong, by how much, and every meter before and after it. Two people of two
// departments; the second one sees the same figures in the same place.

import { post, get } from "../kit/api.js";
import { h, setText } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { centsOf, exactText, parseExact } from "./exact.js";
import { openDrawer } from "./drawer.js";
import { metersOf, meterName } from "./floor_names.js";
import { stepsLine } from "./steps_line.js";
import { PART_NAMES } from "./words.js";

const AMOUNTS = {
  primary: "microcents",
  reset: "reset_microcents",
  overflow: "overflow_microcents",
};
const CENT = 1_000_000n;

const standing = async (link) =>
  new Map(
    (
      await get(`/v1/links/${encodeURIComponent(link)}/meters`, { parse: parseExact })
    ).meters.map((meter) => [meter.id, meter]),
  );
const before = (meters, leg) => BigInt(meters.get(leg.meter)?.[AMOUNTS[leg.part]] ?? 0);

// legs: [{ meter, part, microcents }] with BigInt; each as before → after.
function beforeAndAfter(link, legs, meters) {
  const rows = legs.map((leg) => {
    const was = before(meters, leg);
    const will = was + leg.microcents;
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        meterName(link, leg.meter),
        h("span", { class: "under" }, PART_NAMES[leg.part]),
      ),
      h("td", { class: "number" }, exactText(was)),
      h(
        "td",
        { class: "number" },
        `${leg.microcents >= 0n ? "+" : ""}${exactText(leg.microcents)}`,
      ),
      h("td", { class: "number", "data-off": will < 0n }, h("strong", {}, exactText(will))),
    );
  });
  const heads = ["Meter", "Before", "Change", "After"];
  return h("table", { class: "data before-after" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text, at) => h("th", { scope: "col", class: at > 0 ? "number" : null }, text)),
      ),
    ),
    h("tbody", {}, rows));
}

// Somebody else's proposal, or one's own that waits.
export async function reviewCorrection(view, { mayDecide, done }) {
  const path = `/v1/corrections/${encodeURIComponent(view.correction)}`;
  const problem = h("p", { class: "field-problem", role: "alert" });
  const reason = h(
    "input",
    { "aria-label": "Reason to refuse it", placeholder: "Reason to refuse it", maxlength: 500 },
  );
  const legs = view.legs.map((leg) => ({ ...leg, microcents: BigInt(leg.amount_microcents) }));
  const meters = await standing(view.link);
  const keys = mayDecide
    ? [
        h("div", { class: "foot-keys" },
          h(
            "button",
            { type: "button", class: "primary", onclick: () => decide("approve", {}) },
            "Approve the correction",
          ),
          reason,
          h(
            "button",
            {
              type: "button",
              class: "danger",
              onclick: () => decide("refuse", { reason: reason.value.trim() }),
            },
            "Refuse",
          )),
      ]
    : [h("p", { class: "waits" }, "It waits for a second person, of another department.")];
  const drawer = openDrawer({
    title: `Correction ${view.correction}`,
    lead: `“${view.reason}”`,
    content: [
      stepsLine(
        [
          { text: "Proposed", by: `${view.proposed_by.name}, ${view.proposed_by.department}` },
          { text: "Approve", by: null },
        ],
      ),
      beforeAndAfter(view.link, legs, meters),
      ...keys,
      problem,
    ],
  });
  async function decide(what, body) {
    try {
      await post(`${path}/${what}`, body);
      drawer.close();
      toast(
        what === "approve" ? "The correction is made." : "Refused: nothing was changed.",
        { kind: "good" },
      );
      done();
    } catch (error) {
      setText(problem, error.message);
    }
  }
}

// A proposal: one leg is a correction against the house, "from" makes it a transfer.
export async function proposeCorrection({ link, day, closed, done }) {
  const meters = await standing(link);
  const id = "correction";
  const places = metersOf(link).flatMap(({ meter, name }) =>
    Object.entries(PART_NAMES).map(
      ([part, text]) => ({ value: `${meter}/${part}`, text: `${name}, ${text.toLowerCase()}` }),
    ));
  const choice = (name, label, none) => field(name, label, h("select", { id: `${id}-${name}` },
    none === null ? null : h("option", { value: "" }, none), places.map(
      ({ value, text }) => h("option", { value }, text),
    )));
  const field = (name, label, control) => h(
    "div",
    { class: "field" },
    h("label", { for: `${id}-${name}` }, label),
    control,
  );
  const input = (name, attributes) => h(
    "input",
    { id: `${id}-${name}`, autocomplete: "off", ...attributes },
  );
  const amount = input("amount", { inputmode: "decimal", maxlength: 20 });
  const reason = input("reason", { maxlength: 500 });
  const problem = h("p", { class: "field-problem", role: "alert" });
  const shown = h("div", { "aria-live": "polite" });
  const from = choice("from", "From", "The house: a correction");
  const to = choice("to", "Onto", null);
  const form = h("form", { class: "correction", novalidate: true }, from, to,
    field("amount", "Amount", amount),
    h("p", { class: "field-hint" }, "With a minus in front, a correction takes it off."),
    field("reason", "Reason", reason), shown, problem,
    h("div", { class: "foot-keys" }, h("button", { type: "submit", class: "primary" }, "Propose")));
  const place = (holder) => {
    const [meter, part] = holder.querySelector("select").value.split("/");
    return meter === "" ? null : { meter, part };
  };
  const legsOf = (cents) => {
    const change = BigInt(cents) * CENT;
    const source = place(from);
    const target = { ...place(to), microcents: change };
    return source === null ? [target] : [{ ...source, microcents: -change }, target];
  };
  const draw = () => {
    const cents = centsOf(amount.value);
    shown.replaceChildren(...(cents === null ? [] : [beforeAndAfter(link, legsOf(cents), meters)]));
  };
  form.addEventListener("input", draw);
  const drawer = openDrawer({
    title: "Correction",
    lead: "It is made once a second person, of another department, approves it.",
    content: [form],
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const cents = centsOf(amount.value);
    const wrong =
      cents === null || cents === 0
        ? "The amount is not one like 1,234.56."
        : reason.value.trim().length < 3
        ? "Say why: at least 3 characters."
        : "";
    if (wrong !== "") {
      setText(problem, wrong);
      return;
    }
    const of = closed ? { day } : {};
    const source = place(from);
    const target = place(to);
    const body = { reason: reason.value.trim(), ...of };
    try {
      await (source === null
        ? post(
          `/v1/links/${encodeURIComponent(link)}/corrections`,
          { ...body, legs: [{ ...target, amount_cents: cents }] },
        )
        : post(
          `/v1/links/${encodeURIComponent(link)}/transfers`,
          { ...body, from: source, to: target, amount_cents: cents },
        ));
      drawer.close();
      toast("Proposed: somebody of another department decides.", { kind: "good" });
      done();
    } catch (error) {
      setText(problem, error.message);
    }
  });
}
