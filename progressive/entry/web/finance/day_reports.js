// The reports that stand on the page, one after the other in the order in which they are read: of the
// day, and of the thirty days behind it.

import { h, setText } from "../kit/dom.js";
import { cageView } from "./cage.js";
import { dayAfter, plainDay } from "./days.js";
import { reportKinds } from "./downloads.js";
import { explainMeter } from "./explain.js";
import { ledgerView } from "./ledger.js";
import { liabilityView } from "./liability.js";
import { metersView } from "./meters.js";
import { paymentsView } from "./payments.js";
import { gapCharts, growthCharts, holdCharts, pictureGroup } from "./pictures.js";
import { ask, reportPath } from "./service.js";

const BEHIND_DAYS = 30;

// first: the first day of the journal. forms: for whoever may enter figures, else null.
export async function showReportsOf(sections, { link, day, status, first, signal, forms }) {
  const report = (kind, question) => ask(reportPath(kind, { link, ...question }), { signal });
  const past = dayAfter(day, 1 - BEHIND_DAYS);
  const behind = { from: past < first ? first : past, to: day };
  const kinds = (await reportKinds()).map((kind) => kind.report);
  const upload = forms !== null && status.closed === null ? () => forms.cage() : null;
  const ends = status.over ? status.ends : null;
  const explain = (meter) => explainMeter({ link, meter, ends });
  const { meters, payments, cage, liability, ledger, pictures } = sections;

  await meters.show(
    () => report("reconciliation", { day }),
    (found) => metersView(found, { explain }),
  );
  await payments.show(() => report("awards", { day }), paymentsView);
  await cage.show(
    async () => (kinds.includes("cage") ? report("cage", { day }) : null),
    (found) => cageView(found, { upload }),
  );
  await liability.show(() => report("liability", behind), liabilityView);
  await ledger.show(
    async () => [
      await report("gl", { day }),
      await report("rollforward", { month: day.slice(0, 7) }),
    ],
    ([entries, balances]) =>
      ledgerView(entries, balances, { enter: forms === null ? null : () => forms.ledger() }),
  );
  await pictures.show(
    async () => [
      await report("reconciliation", behind),
      await report("wagers", { day }),
      await report("hold", behind),
    ],
    ([growth, wagers, hold]) => picturesView(day, growth, wagers, hold),
  );
  const range = pictures.element.querySelector('[data-part="range"]');
  setText(range, `${plainDay(behind.from)} to ${plainDay(behind.to)}`);
}

function picturesView(day, growth, wagers, hold) {
  const column = (...groups) => h("div", { class: "picture-column" }, groups);
  return [
    column(
      pictureGroup("Meter growth", "on display, hour by hour; hits are marked", growthCharts(growth), {
        empty: "Too few hours with play.",
      }),
      pictureGroup(
        "Hold against theory",
        "win day by day; the band is two standard errors",
        holdCharts(hold),
        { empty: "It takes two days." },
      ),
    ),
    column(
      pictureGroup("Wagers by hour", `registered on ${plainDay(day)}`, wagers.charts, {
        empty: "No wager on this day.",
        height: 240,
      }),
      pictureGroup(
        "Time between hits",
        "wagers from one hit to the next; the law is that of the exact odds",
        gapCharts(hold),
        { empty: "It takes two hits of one meter." },
      ),
    ),
  ];
}
