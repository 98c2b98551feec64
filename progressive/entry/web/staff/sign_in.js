// The sign-in form: one try a press, a clear word where it fails, and back to where one came from.

import { Refused } from "../kit/api.js";
import { whileBusy } from "../kit/buttons.js";
import { setText } from "../kit/dom.js";
import { nextPage } from "./next_page.js";

const WORDS = {
  BAD_CREDENTIALS:
    "Wrong name or password. After 5 bad tries in a row an account is locked for 15 minutes.",
  TOO_MANY_TRIES: "Too many bad tries. Wait a minute.",
};

const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");
const { user, password } = form.elements;

async function signIn() {
  const response = await fetch("/v1/sessions", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user: user.value, password: password.value }),
  });
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({ error: {} }));
    throw new Refused(response.status, error.code, error.message ?? "The service refused.");
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const empty = [user, password].find((field) => field.value === "");
  if (empty) {
    setText(problem, `${empty.labels[0].textContent} is missing.`);
    empty.focus();
    return;
  }
  whileBusy(form.querySelector("button"), async () => {
    setText(problem, "");
    try {
      await signIn();
    } catch (error) {
      const lost = "The service did not answer. Try again.";
      setText(problem, error instanceof Refused ? (WORDS[error.code] ?? error.message) : lost);
      password.select();
      return;
    }
    location.replace(nextPage(location));
  });
});
