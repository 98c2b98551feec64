// Sign administration: every sign of the floor file, how it is now, its address and its key.

import { setAttribute, setText } from "../kit/dom.js";
import "../kit/contact.js";
import { LiveSocket, socketUrl } from "../kit/socket.js";
import { FloorBoard } from "../pit/board.js";
import { signInAgain } from "../staff/account.js";
import { lagText, reportText, signState } from "../staff/sign_words.js";
import { copyFrom } from "./copy.js";
import { issueKey, removeKey } from "./keys.js";

const STALE_MS = 5000; // The service speaks once a second at the least.
const HERE_EVERY_MS = 60000;
const SESSION_OVER = 4401;

const board = new FloorBoard();
const contact = document.querySelector("contact-state");
const cards = [...document.querySelectorAll("[data-sign]")].map(cardOf);

function cardOf(element) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  const id = element.dataset.sign;
  const name = element.querySelector("h2").textContent;
  const address = part("url");
  address.value = new URL(`/sign/${encodeURIComponent(id)}`, location.href).href;
  part("copy").addEventListener("click", () => copyFrom(address));
  part("issue")?.addEventListener("click", () => issueKey({ id, name, keyed: keyed() }));
  part("remove")?.addEventListener("click", () => removeKey({ id, name }));
  const keyed = () => board.signs.get(id)?.keyed ?? false;
  const show = (sign) => {
    const [text, kind] = signState(sign);
    setText(part("state"), text);
    setAttribute(part("state"), "data-kind", kind);
    setAttribute(element, "data-kind", kind === "good" ? null : kind);
    setText(part("lag"), lagText(sign));
    setText(part("seen"), reportText(sign));
    setText(part("key"), sign.keyed ? "needed" : "none");
    const wrong = ["behind", "wrong"].includes(sign.state) ? sign.why : "";
    setText(part("why"), wrong);
    setAttribute(part("why"), "hidden", wrong === "");
    if (part("issue") !== null) {
      setText(part("issue"), sign.keyed ? "Replace key" : "Issue key");
      setAttribute(part("remove"), "hidden", !sign.keyed);
    }
  };
  return { id, show };
}

function render() {
  for (const { id, show } of cards) {
    const sign = board.signs.get(id);
    if (sign !== undefined) {
      show(sign);
    }
  }
  setText(document.getElementById("summary"), summary([...board.signs.values()]));
}

function summary(signs) {
  const bad = signs.filter((sign) => signState(sign)[1] === "bad").length;
  const here = signs.filter((sign) => sign.connected).length;
  const trouble = bad === 0 ? "" : `, ${bad} in trouble`;
  return `${here} of ${signs.length} connected${trouble}`;
}

const socket = new LiveSocket({
  url: socketUrl("/v1/pit/socket"),
  staleMs: STALE_MS,
  accept(data, fresh) {
    if (board.take(parsed(data), fresh) === null) {
      return false;
    }
    contact.live();
    delete document.body.dataset.stale;
    render();
    return true;
  },
  lost() {
    contact.lost();
    // What nobody vouches for must not look like what somebody does.
    document.body.dataset.stale = "";
  },
  sentAway: (code) => (code === SESSION_OVER ? signInAgain() : location.reload()),
});

function parsed(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

// A person at the page keeps the session from falling idle; the open page alone does not.
let heardAt = -Infinity;
for (const touch of ["pointerdown", "keydown"]) {
  window.addEventListener(touch, () => {
    if (performance.now() - heardAt > HERE_EVERY_MS && socket.send({ type: "here" })) {
      heardAt = performance.now();
    }
  });
}

socket.start();
