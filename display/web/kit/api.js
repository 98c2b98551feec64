// Requests to the service. A change is sent under a key of its own until it is answered: however
// often the network fails under it, it is done once.

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 5000;
const TRIES_MAX = 8;
// The service could not say what became of it: the same key may be sent again.
const AGAIN = new Set([502, 503, 504]);
const UNDER_WAY = "KEY_UNDER_WAY";
// Another node has the link, and the message says which: asked again here, it says so again.
const NOT_LEADER = "NOT_LEADER";

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The service did not answer. Look what became of it before you try again.");
  }
}

// parse: for answers whose numbers are too long for a double.
export async function get(path, { parse = JSON.parse, signal } = {}) {
  return answerOf(await fetch(path, { headers: { Accept: "application/json" }, signal }), parse);
}

// Keys of changes that were never answered. The same change asked for again is the same change.
const unanswered = new Map();

// post("/v1/awards/x/pay", { document }): one change, however many tries it takes.
export function post(path, body = {}, options = {}) {
  const text = JSON.stringify(body);
  return postBody(path, text, text, options);
}

// The same with a file that somebody chose, byte for byte: whoever reads it knows its encoding, and
// its hash is that of the file on their disk.
export async function postFile(path, file, options) {
  const bytes = await file.arrayBuffer();
  // Every byte is one letter of this encoding: equal texts are equal files.
  return postBody(path, bytes, new TextDecoder("windows-1252").decode(bytes), options);
}

async function postBody(path, body, told, { tries = TRIES_MAX, type = "application/json" } = {}) {
  const change = `${path} ${told}`;
  const key = unanswered.get(change) ?? newKey();
  unanswered.set(change, key);
  try {
    const answer = await sendUntilAnswered(path, { body, type, key }, tries);
    unanswered.delete(change);
    return answer;
  } catch (error) {
    if (error instanceof Refused && error.status < 500) {
      unanswered.delete(change);
    }
    throw error;
  }
}

async function sendUntilAnswered(path, { body, type, key }, tries) {
  const headers = { "Content-Type": type, "Idempotency-Key": key };
  const request = { method: "POST", headers, body };
  let delayMs = FIRST_DELAY_MS;
  for (let left = tries; left > 0; left -= 1) {
    try {
      return await answerOf(await fetch(path, request));
    } catch (error) {
      if (error instanceof Refused && (isFinal(error) || left === 1) && error.code !== UNDER_WAY) {
        throw error;
      }
    }
    await pause(delayMs);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  }
  throw new Unreachable();
}

// The last try's fault is told as it is.
function isFinal({ status, code }) {
  return !AGAIN.has(status) || code === NOT_LEADER;
}

export async function remove(path) {
  return answerOf(await fetch(path, { method: "DELETE" }));
}

async function answerOf(response, parse = JSON.parse) {
  const text = await response.text();
  let body = null;
  try {
    body = text === "" ? {} : parse(text);
  } catch {
    // Not ours: a proxy's page, perhaps.
  }
  if (response.ok && body !== null) {
    return body;
  }
  const { code = String(response.status), message = response.statusText } = body?.error ?? {};
  throw new Refused(response.status, code, message);
}

// Not randomUUID: browsers have that only where the page came by TLS.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
