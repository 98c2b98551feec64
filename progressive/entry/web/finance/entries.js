// What only people know, entered for a day: sign readings, the cage's file, the bank, the ledger, tax
// forms. Compared by the service; nothing of it moves a meter.

import { post, postFile, Refused } from "../kit/api.js";
import { ask as askPerson } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { centsOf, centsText, counted, countText } from "./exact.js";
import { localInput, momentOf, momentText } from "./days.js";
import { meterName, metersOf, signName, signsOf } from "./floor_names.js";
import { dayPath } from "./service.js";
import { entryWord, PART_NAMES } from "./words.js";

const AMOUNT = {
  inputMode: "decimal",
  required: true,
  maxLength: 20,
  hint: "As it is written: 1,234.56",
};

function amountOf(text) {
  const cents = centsOf(text);
  if (cents === null) {
    throw new Error("The amount is not one like 1,234.56.");
  }
  return cents;
}

// what: { link, day, end }; done() when something was entered.
export function entryForms(what, done) {
  const { link } = what;
  const enter = (entry) => post(dayPath(what, "/entries"), { entry });
  const meters = metersOf(link).map(({ meter, name }) => ({ value: meter, text: name }));
  const form = async (question) => {
    const answer = await askPerson({ confirm: "Enter", ...question });
    if (answer !== null) {
      toast("Entered in the journal.", { kind: "good" });
      done();
    }
  };
  return {
    reading: () =>
      form({
        title: "Sign reading",
        body: [h("p", { class: "quiet" }, "What you read off a sign, standing before it.")],
        fields: [
          {
            name: "sign",
            label: "Sign",
            options: signsOf(link).map(({ sign, name }) => ({ value: sign, text: name })),
          },
          { name: "meter", label: "Meter", options: meters },
          { name: "amount", label: "Amount shown", ...AMOUNT },
          {
            name: "at",
            label: "Read at",
            type: "datetime-local",
            required: true,
            value: localInput(what.end),
          },
        ],
        send: ({ sign, meter, amount, at }) =>
          enter(
            {
              type: "reading",
              sign,
              meter,
              shown_cents: amountOf(amount),
              read_by: what.me.user,
              read_at: momentOf(at),
            },
          ),
      }),
    bank: () =>
      form({
        title: "Bank balance",
        body: [
          h(
            "p",
            { class: "quiet" },
            "What lies in the bank for meters and awards, at the end of the day.",
          ),
        ],
        fields: [{ name: "amount", label: "Balance", ...AMOUNT }],
        send: ({ amount }) => enter({ type: "bank", cents: amountOf(amount) }),
      }),
    ledger: () =>
      form({
        title: "Ledger balance",
        fields: [
          { name: "meter", label: "Meter", options: meters },
          {
            name: "part",
            label: "Part",
            options: Object.entries(PART_NAMES).map(([value, text]) => ({ value, text })),
          },
          { name: "amount", label: "Balance in the ledger", ...AMOUNT },
          { name: "explanation", label: "Explanation", hint: "Of a difference.", maxLength: 500 },
        ],
        send: ({ meter, part, amount, explanation }) =>
          enter(
            {
              type: "ledger",
              month: what.day.slice(0, 7),
              meter,
              part,
              cents: amountOf(amount),
              explanation,
            },
          ),
      }),
    form: (award = "") =>
      form({
        title: "Tax form filed",
        body: [
          h(
            "p",
            { class: "quiet" },
            "By its serial number only. No name of a player is stored here.",
          ),
        ],
        fields: [
          { name: "award", label: "Award", required: true, maxLength: 80, value: award },
          { name: "form", label: "Form", required: true, maxLength: 20, value: "W-2G" },
          { name: "serial", label: "Serial number", required: true, maxLength: 64 },
        ],
        send: (values) => enter({ type: "form", ...values }),
      }),
    notified: () =>
      form({
        title: "Accounting notified",
        body: [h("p", { class: "quiet" }, "Accounting was told of a change of parameters.")],
        fields: [
          {
            name: "seq",
            label: "Record of the change",
            required: true,
            pattern: "[0-9]{1,18}",
            inputMode: "numeric",
          },
          { name: "note", label: "Note", maxLength: 500 },
        ],
        send: ({ seq, note }) => enter({ type: "notified", seq: Number(seq), note }),
      }),
    cage: async () => {
      const answer = await askPerson({
        title: "Cage file",
        body: [
          h(
            "p",
            { class: "quiet" },
            "The cage’s payments of this day as CSV. A later file of the day replaces it.",
          ),
        ],
        confirm: "Compare",
        fields: [
          { name: "file", label: "File", type: "file", required: true },
          {
            name: "mapping",
            label: "Mapping",
            maxLength: 200,
            hint: "Only where its columns have other names: the mapping’s name.",
          },
        ],
        send: async ({ file, mapping }) => {
          if (file === null) {
            throw new Error("Choose a file.");
          }
          const asked = new URLSearchParams(
            { file: file.name, ...(mapping === "" ? {} : { mapping }) },
          );
          try {
            return await postFile(dayPath(what, `/cage?${asked}`), file, { type: "text/csv" });
          } catch (error) {
            throw error instanceof Refused ? new Error(lineByLine(error.message)) : error;
          }
        },
      });
      if (answer !== null) {
        toast(cageWords(answer), { kind: "good" });
        done();
      }
    },
  };
}

// "cage.csv: line 2, amount: …; line 3, …; and 4 more": a line of the file in a line of its own.
const lineByLine = (message) =>
  message.replace(/: (?=line \d)/, ":\n").replaceAll(/; (?=line \d+[,:]|and \d+ more$)/g, "\n");

const cageWords = ({ payments, matched }) =>
  `${counted(payments, "payment")} of the cage${matched === null ? "" : `, ${countText(matched)} matched`}.`;

// The first ones are what a day is closed with: none of them comes after its close.
const BEFORE_CLOSE = [["reading", "Sign reading…"], ["bank", "Bank balance…"]];
const AT_ANY_TIME = [["form", "Tax form…"], ["notified", "Accounting notified…"]];

export function entriesView(status, { forms }) {
  const shown = status.entries.filter((each) => each.entry.type !== "explained");
  const offered = status.closed === null ? [...BEFORE_CLOSE, ...AT_ANY_TIME] : AT_ANY_TIME;
  const keys =
    forms === null
      ? null
      : h("div", { class: "foot-keys" }, offered.map(([name, text]) =>
    h("button", { type: "button", onclick: () => forms[name]() }, text)));
  return [
    shown.length === 0
      ? h("p", { class: "empty" }, "Nothing was entered for this day.")
      : h("ul", { class: "entered" }, shown.toReversed().map((each) =>
          h("li", {}, h(
            "span",
            {},
            h("strong", {}, entryWord(each.entry.type)),
            ` ${entryText(each.entry, status.link)}`,
          ),
            h("span", { class: "quiet small" }, `${each.by.name}, ${momentText(each.at)}`)))),
    keys,
  ];
}

function entryText(entry, link) {
  switch (entry.type) {
    case "reading":
      return `${signName(link, entry.sign)}, ${meterName(link, entry.meter)}: ${centsText(entry.shown_cents)} at ${momentText(entry.read_at)}`;
    case "cage":
      return `${entry.file}, ${counted(entry.payments.length, "payment")}`;
    case "ledger":
      return `${entry.month}, ${meterName(link, entry.meter)} ${PART_NAMES[entry.part].toLowerCase()}: ${centsText(entry.cents)}`;
    case "bank":
      return centsText(entry.cents);
    case "form":
      return `${entry.form} ${entry.serial}, award ${entry.award}`;
    case "notified":
      return `of record ${countText(entry.seq)}${entry.note ? `: ${entry.note}` : ""}`;
    case "returned":
      return `“${entry.reason}”`;
    default:
      return "";
  }
}
