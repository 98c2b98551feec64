// The page that checks an award proof. Everything happens here: nothing is sent anywhere.

import "/assets/kit/cards.js";
import { h } from "/assets/kit/dom.js";
import { pageMoney } from "/assets/kit/money.js";
import { dateTimeText } from "/assets/kit/time.js";
import { checkProof } from "./check.js";
import { BadProof } from "./notes.js";

const form = document.querySelector("#check");
const proof = document.querySelector("#proof");
const keys = document.querySelector("#keys");
const file = document.querySelector("#file");
const result = document.querySelector("#result");
const printed = new URLSearchParams(location.hash.slice(1));

const CANNOT =
  "This browser cannot check signatures here. Open this page over https, or in a newer browser.";
const CENT = 1_000_000n;

async function canCheck() {
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

// Whole cents of an amount in microcents, which may have come as text.
function cents(microcents) {
  return Number(BigInt(microcents) / CENT);
}

function cardsOf(cards) {
  return h("span", { class: "cards" }, cards.map((card) => h("playing-card", { card })));
}

function rowsOf({ made, settled, seat, link, award, checkpoint, witnesses }) {
  const { event } = settled;
  const rows = [
    ["Award", award],
    ["Amount", h("strong", {}, pageMoney(made.amount_cents + (made.bonus_cents ?? 0)))],
    ["Won by", `seat ${made.seat} at table ${event.table}, round ${event.round}`],
    ["Line", `${made.line.replaceAll("_", " ")} on ${made.bet}, wager ${pageMoney(made.wager_cents)}`],
    ["Settled", dateTimeText(settled.at)],
  ];
  if (seat?.cards?.length > 0) {
    rows.push(["Cards of the seat", cardsOf(seat.cards)]);
  }
  if (event.dealer.cards?.length > 0) {
    rows.push(["Dealer's cards", cardsOf(event.dealer.cards)]);
  }
  if (made.meter) {
    const before = pageMoney(cents(made.meter_before));
    const after = pageMoney(cents(made.meter_after));
    rows.push(["Meter", `${made.meter} of link ${link}: ${before} before, ${after} after`]);
  }
  rows.push(["Sealed in", `${checkpoint.origin}, the first ${checkpoint.size} records`]);
  for (const { name, time, checked } of witnesses) {
    const what = checked ? "" : " (not checked: its public line was not given)";
    rows.push(["Witness", `${name}, ${dateTimeText(new Date(time * 1000))}${what}`]);
  }
  return rows;
}

function show(kind, title, ...more) {
  result.dataset.kind = kind;
  result.replaceChildren(h("h2", {}, title), ...more);
  result.hidden = false;
}

function differsFromPaper(found) {
  const given = [
    ["award", found.award],
    ["leaf", found.leaf],
  ];
  return given.some(([name, value]) => printed.has(name) && printed.get(name) !== value);
}

function showFacts(found) {
  const list = h(
    "dl",
    {},
    rowsOf(found).map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))),
  );
  const cannotKnow = h(
    "p",
    { class: "quiet small" },
    "A proof cannot tell whether the award was validated, paid or voided later: ask the casino.",
  );
  if (found.sealedBy === null) {
    // Without the casino's key, the word of a witness is all there is.
    const checked = found.witnesses.some((each) => each.checked);
    show(
      "warn",
      checked
        ? "The records belong together and are cosigned, but the casino's key was not given"
        : "The records belong together, but no key was given",
      h("p", {}, "Paste the casino's public line to check who sealed them."),
      list,
      cannotKnow,
    );
  } else {
    const sealed = `Sealed with the key of ${found.sealedBy}. Nobody has changed it since.`;
    show("good", "The proof holds", h("p", {}, sealed), list, cannotKnow);
  }
}

async function check() {
  const text = proof.value;
  if (text.trim() === "") {
    show("bad", "No proof yet", h("p", {}, "Choose the file that you were given, or paste it."));
    return;
  }
  if (!(await canCheck())) {
    show("bad", "Cannot check", h("p", {}, CANNOT));
    return;
  }
  try {
    const lines = keys.value.split("\n").filter((line) => line.trim() !== "");
    const found = await checkProof(text, lines);
    if (differsFromPaper(found)) {
      throw new BadProof("it is not the proof of the award that is printed on the sheet");
    }
    showFacts(found);
  } catch (error) {
    if (!(error instanceof BadProof)) {
      console.error(error);
    }
    const why = error instanceof BadProof ? error.message : "it is not in the form of a proof";
    show("bad", "The proof does not hold", h("p", {}, why));
  }
}

async function take(taken) {
  if (taken !== undefined) {
    proof.value = await taken.text();
    await check();
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
file.addEventListener("change", () => take(file.files[0]));
proof.addEventListener("dragover", (event) => event.preventDefault());
proof.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length > 0) {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  }
});

if (printed.has("award")) {
  const paper = document.querySelector("#paper");
  paper.querySelector("[data-part=award]").textContent = printed.get("award");
  paper.querySelector("[data-part=leaf]").textContent = printed.get("leaf") ?? "";
  paper.hidden = false;
}
