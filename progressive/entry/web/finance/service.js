// Questions to the service: exact numbers, one at a time for each place, and what a refusal means.

import { get, Refused } from "../kit/api.js";
import { signInAgain } from "../staff/account.js";
import { parseExact } from "./exact.js";

// One question after the other: the books of a day are folded once, and the next answer uses them.
let last = Promise.resolve();

export function ask(path, { signal } = {}) {
  const answer = last.then(() => {
    signal?.throwIfAborted();
    return get(path, { parse: parseExact, signal });
  });
  last = answer.catch(() => {});
  return answer.catch((error) => {
    if (error instanceof Refused && error.status === 401) {
      signInAgain();
    }
    throw error;
  });
}

// "/v1/reports/gl?day=…": what is undefined is left out.
export function reportPath(kind, question) {
  const asked = Object.entries(question).filter(([, value]) => value !== undefined && value !== "");
  return `/v1/reports/${kind}?${new URLSearchParams(asked)}`;
}

export const dayPath = ({ link, day }, rest = "") =>
  `/v1/days/${encodeURIComponent(link)}/${encodeURIComponent(day)}${rest}`;

export const wasAborted = (error) => error.name === "AbortError";
