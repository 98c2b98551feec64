// What people state about a day: prepared, sent back, closed, explained. Each is asked for once more,
// sent once however often it takes, and told when it is done.

import { post } from "../kit/api.js";
import { ask as askPerson } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { counted, countText } from "./exact.js";
import { longDay } from "./days.js";
import { leftBehind } from "./closing.js";
import { dayPath } from "./service.js";

// Nobody leaves days behind by a slip: it is chosen.
const firstField = (behind) => ({
  name: "first",
  label: "Days before",
  hint: behind,
  required: true,
  options: [
    { value: "", text: "Choose…" },
    { value: "first", text: "They stay outside the closes" },
  ],
});

// now() gives { link, day, status }; changed() is called after each of them.
export function closingSteps(now, changed) {
  return {
    prepare: async () => {
      const { status, ...at } = now();
      const { last_seq: record, rounds, wagers } = status.totals;
      const what = status.closed === null ? "Prepare the close of" : "Prepare a restatement of";
      const behind = leftBehind(status);
      const done = await askPerson({
        title: `${what} ${longDay(at.day)}`,
        body: [
          h("p", {}, `Balanced at record ${countText(record)}.`),
          h("p", {}, `${counted(rounds, "round")}, ${counted(wagers, "wager")}.`),
          h(
            "p",
            { class: "quiet" },
            "You state that it is reconciled. Another person of finance reviews and closes it.",
          ),
        ],
        confirm: "Prepare",
        fields: [
          { name: "note", label: "Note", hint: "For the reviewer.", maxLength: 500 },
          ...(behind === null ? [] : [firstField(behind)]),
        ],
        send: ({ note, first }) =>
          post(dayPath(at, "/prepare"), {
            ...(note === "" ? {} : { note }),
            ...(first === "first" ? { first: true } : {}),
          }),
      });
      if (done !== null) {
        toast("Prepared: another person of finance closes the day.", { kind: "good" });
        changed();
      }
    },
    close: async (preparation) => {
      const at = now();
      try {
        await post(dayPath(at, "/close"), { prepared_seq: preparation.seq });
        toast(`${longDay(at.day)} is closed.`, { kind: "good" });
      } catch (error) {
        toast(error.message, { kind: "bad" });
      }
      changed();
    },
    sendBack: async () => {
      const at = now();
      const done = await askPerson({
        title: "Send it back",
        confirm: "Send back",
        fields: [
          {
            name: "reason",
            label: "Reason",
            type: "textarea",
            required: true,
            minLength: 3,
            maxLength: 500,
          },
        ],
        send: (values) => post(dayPath(at, "/return"), values),
      });
      if (done !== null) {
        toast("Sent back.", { kind: "good" });
        changed();
      }
    },
    explain: async (check, item, text) => {
      const at = now();
      await post(dayPath(at, "/entries"), { entry: { type: "explained", check, item, text } });
      toast("Explained.", { kind: "good" });
      // Not before the field is gone: a section that is written in is not drawn again.
      setTimeout(changed);
    },
  };
}
