// Signed notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature) and the Merkle tree of RFC 6962,
// with the browser's own SHA-256 and Ed25519. What is not exactly in the form is refused.

export class BadProof extends Error {}

const SIGNATURE = 1;
const COSIGNATURE = 4;
const encoder = new TextEncoder();

export function bytesOf(text) {
  return encoder.encode(text);
}

// Standard base64, in the one form that the bytes have.
export function decodeBase64(text) {
  let binary;
  try {
    binary = atob(text);
  } catch {
    throw new BadProof(`not base64: ${text.slice(0, 40)}`);
  }
  if (btoa(binary) !== text) {
    throw new BadProof(`not base64 in its one form: ${text.slice(0, 40)}`);
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

// --- the tree ------------------------------------------------------------------------------------

export function leafHash(record) {
  return sha256(Uint8Array.of(0), bytesOf(record));
}

function nodeHash(left, right) {
  return sha256(Uint8Array.of(1), left, right);
}

// Whether the hashes lead from a leaf to the root, and all of them are used. Numbers of records may
// be larger than 32 bits: no bit operators here.
export async function isIncluded(leaf, index, size, hashes, root) {
  let at = index;
  let last = size - 1;
  let found = leaf;
  for (const sibling of hashes) {
    if (last === 0) {
      return false;
    }
    if (at % 2 === 1 || at === last) {
      found = await nodeHash(sibling, found);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      found = await nodeHash(found, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && same(found, root);
}

// --- notes ---------------------------------------------------------------------------------------

// The text, and the signature lines, none of which is checked here.
export function readNote(whole) {
  const at = whole.lastIndexOf("\n\n");
  if (at < 0 || !whole.endsWith("\n")) {
    throw new BadProof("the seal does not end with an empty line and signatures");
  }
  const lines = whole.slice(at + 2, -1).split("\n");
  return { text: whole.slice(0, at + 1), signatures: lines.map(readSignature) };
}

function readSignature(line) {
  const parts = /^— ([^ +]+) ([^ ]+)$/u.exec(line);
  const body = parts === null ? [] : decodeBase64(parts[2]);
  if (body.length <= 4) {
    throw new BadProof("a signature line of the seal is not in its form");
  }
  return { name: parts[1], id: body.slice(0, 4), signature: body.slice(4) };
}

export function readSize(text) {
  const size = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(size)) {
    throw new BadProof(`not a number of records: ${text.slice(0, 40)}`);
  }
  return size;
}

export function readCheckpoint(text) {
  const lines = text.split("\n");
  if (lines.length !== 4 || lines[3] !== "" || lines[0] === "") {
    throw new BadProof("the seal does not have three lines: log, size and root");
  }
  const root = decodeBase64(lines[2]);
  if (root.length !== 32) {
    throw new BadProof("the root of the seal does not have 32 bytes");
  }
  return { origin: lines[0], size: readSize(lines[1]), root };
}

// --- keys ----------------------------------------------------------------------------------------

async function keyId(name, kind, key) {
  return (await sha256(bytesOf(`${name}\n`), Uint8Array.of(kind), key)).slice(0, 4);
}

// A public line, NAME+ID+KEY. Its id must be that of name and key.
export async function readKey(line) {
  const parts = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(line.trim());
  const body = parts === null ? [] : decodeBase64(parts[3]);
  if (body.length !== 33 || ![SIGNATURE, COSIGNATURE].includes(body[0])) {
    throw new BadProof("not a public key: a line NAME+ID+KEY is expected");
  }
  const key = { name: parts[1], kind: body[0], key: body.slice(1) };
  if (hex(await keyId(key.name, key.kind, key.key)) !== parts[2]) {
    throw new BadProof(`the id of the key of ${key.name} does not belong to it`);
  }
  return key;
}

async function verifies(key, message, signature) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
}

// Whether a house's key has signed: one of NAME signs for NAME and NAME/anything.
export async function isSealedBy(note, origin, key) {
  if (key.kind !== SIGNATURE || !(origin === key.name || origin.startsWith(`${key.name}/`))) {
    return false;
  }
  const id = await keyId(origin, SIGNATURE, key.key);
  for (const each of note.signatures) {
    if (each.name === origin && same(each.id, id)) {
      if (!(await verifies(key.key, bytesOf(note.text), each.signature))) {
        throw new BadProof(`the signature of ${origin} does not hold`);
      }
      return true;
    }
  }
  return false;
}

function timeOf(signature) {
  const bytes = new DataView(signature.buffer, signature.byteOffset, 8);
  return Number(bytes.getBigUint64(0));
}

// What witnesses have said, and whether a key was given to check it with.
export async function cosignatures(note, origin, keys) {
  const found = [];
  for (const each of note.signatures) {
    if (each.name === origin || each.signature.length !== 72) {
      continue;
    }
    const time = timeOf(each.signature);
    let checked = false;
    for (const key of keys.filter(({ kind, name }) => kind === COSIGNATURE && name === each.name)) {
      if (same(await keyId(key.name, COSIGNATURE, key.key), each.id)) {
        const message = bytesOf(`cosignature/v1\ntime ${time}\n${note.text}`);
        if (!(await verifies(key.key, message, each.signature.slice(8)))) {
          throw new BadProof(`the cosignature of ${each.name} does not hold`);
        }
        checked = true;
      }
    }
    found.push({ name: each.name, time, checked });
  }
  return found;
}
