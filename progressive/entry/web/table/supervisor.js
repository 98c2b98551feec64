// The supervisor at this panel: she signs in beside the dealer with a session of her own, for some
// minutes. Her password goes to the service once and is stored nowhere; nor is her session, which the
// service holds for this connection alone.

import { newKey, Refused } from "../kit/api.js";
import { ask } from "../kit/dialog.js";
import { h } from "../kit/dom.js";

export class Supervisor {
  #send;
  #waiting = null; // The sign-in that was not answered yet.

  // send(message) answers true if it went out.
  constructor(send) {
    this.#send = send;
    this.name = null;
    this.until = null;
  }

  get isHere() {
    return this.name !== null;
  }

  // What the service says of her; true if it was about her.
  hear(message) {
    const mine = this.#waiting !== null && message.id === this.#waiting.id;
    if (message.type === "supervised") {
      this.name = message.supervisor?.name ?? null;
      this.until = message.until;
      if (mine) {
        this.#settle((waiting) => waiting.resolve(true));
      }
      return true;
    }
    if (message.type === "refused" && mine) {
      this.#settle((waiting) => waiting.reject(new Error(sentence(message.message))));
      return true;
    }
    return false;
  }

  // The connection is gone, and with it her session.
  lost() {
    this.name = this.until = null;
    this.#settle((waiting) => waiting.reject(new Error("No contact with the service.")));
  }

  async signIn(user, password) {
    const token = await tokenOf(user, password);
    const id = newKey();
    const answered = new Promise((resolve, reject) => {
      this.#waiting = { id, resolve, reject };
    });
    if (!this.#send({ type: "supervisor", id, token })) {
      this.lost();
    }
    return answered;
  }

  leave() {
    this.#send({ type: "supervisor", id: newKey(), token: null });
  }

  confirm({ round, awards }) {
    const names = awards.map((award) => award.award);
    this.#send({ type: "validate_round", id: newKey(), round, awards: names });
  }

  #settle(how) {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) {
      how(waiting);
    }
  }
}

// Without a cookie: this browser stays the dealer's.
async function tokenOf(user, password) {
  const response = await fetch("/v1/sessions?cookie=none", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user, password }),
  });
  const { token, error } = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Refused(response.status, error?.code, sentence(error?.message ?? "refused"));
  }
  return token;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// Resolves to true once she is signed in, to null if she left.
export function askSupervisor(supervisor, why) {
  return ask({
    title: "Supervisor signs in",
    body: [h("p", {}, why)],
    fields: [
      { name: "user", label: "Name", required: true, maxLength: 100 },
      { name: "password", label: "Password", type: "password", required: true, maxLength: 1000 },
    ],
    confirm: "Sign in",
    send: ({ user, password }) => supervisor.signIn(user, password),
  });
}
