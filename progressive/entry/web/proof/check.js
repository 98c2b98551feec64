// Checks an award proof: its form, that its records are sealed, and what they say of the award.
// Nothing here asks the service for anything.

import {
  BadProof,
  cosignatures,
  decodeBase64,
  hex,
  isIncluded,
  isSealedBy,
  leafHash,
  readCheckpoint,
  readKey,
  readNote,
  readSize,
} from "./notes.js";

const FORM = "progressive.award-proof/v1";
const KINDS = ["wagers_registered", "settled_early", "round_settled"];
const NAMES = ["by", "dealt_by"];

// { award, blocks: [{ seq, record, hashes }], note }
function readProof(text) {
  const end = text.indexOf("\n\n");
  const [form, award, ...lines] = end < 0 ? [] : text.slice(0, end).split("\n");
  if (form !== FORM || !award?.startsWith("award ")) {
    throw new BadProof("this is not an award proof");
  }
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].startsWith("record ") || at + 1 >= lines.length) {
      throw new BadProof("a record is not in its form");
    }
    const block = { seq: readSize(lines[at].slice(7)), record: lines[at + 1], hashes: [] };
    for (at += 2; at < lines.length && !lines[at].startsWith("record "); at += 1) {
      block.hashes.push(decodeBase64(lines[at]));
    }
    blocks.push(block);
  }
  return { award: award.slice(6), blocks, note: readNote(text.slice(end + 2)) };
}

// Amounts of a record may be larger than a double holds: those become text.
function parsed(block) {
  let found;
  try {
    found = JSON.parse(block.record.replace(/([:,[])(-?\d{16,})(?=[,}\]])/g, '$1"$2"'));
  } catch {
    throw new BadProof(`record ${block.seq} cannot be read`);
  }
  if (found?.seq !== block.seq || !KINDS.includes(found?.event?.type)) {
    throw new BadProof(`record ${block.seq} is not one of a round`);
  }
  if (holdsNames(found)) {
    throw new BadProof(`record ${block.seq} holds a person's name`);
  }
  return found;
}

function holdsNames(value) {
  if (value === null || typeof value !== "object") {
    return false;
  }
  return Object.entries(value).some(([key, each]) => NAMES.includes(key) || holdsNames(each));
}

function checkRound(records) {
  const kinds = records.map(({ event }) => event.type);
  const middle = kinds.slice(1, -1);
  if (
    records.length < 2 ||
    kinds[0] !== "wagers_registered" ||
    kinds.at(-1) === "wagers_registered" ||
    middle.some((kind) => kind !== "settled_early")
  ) {
    throw new BadProof("the records are not those of one round: its lock-out, then its settlement");
  }
  records.forEach(({ seq, event }, at) => {
    const first = records[0].event;
    if (event.table !== first.table || event.round !== first.round) {
      throw new BadProof(`record ${seq} is of another round`);
    }
    if (at > 0 && seq <= records[at - 1].seq) {
      throw new BadProof(`record ${seq} stands in the wrong place`);
    }
  });
}

// All that the records say of the award; throws BadProof, which says what is wrong.
export async function checkProof(text, keyLines) {
  const { award, blocks, note } = readProof(text);
  const checkpoint = readCheckpoint(note.text);
  const records = blocks.map(parsed);
  checkRound(records);
  const link = award.replace(/\.\d+\.\d+$/, "");
  if (!checkpoint.origin.split("/").slice(1).includes(link)) {
    throw new BadProof(`the seal is of ${checkpoint.origin}, the award of the link ${link}`);
  }
  let leaf = null;
  for (const { seq, record, hashes } of blocks) {
    leaf = await leafHash(record);
    if (
      !(seq >= 1 && seq <= checkpoint.size) ||
      hashes.some((hash) => hash.length !== 32) ||
      !(await isIncluded(leaf, seq - 1, checkpoint.size, hashes, checkpoint.root))
    ) {
      throw new BadProof(`record ${seq} is not in the sealed journal`);
    }
  }
  const settled = records.at(-1);
  const made = settled.event.awards?.find((each) => each.award === award);
  if (made === undefined) {
    throw new BadProof(`the records make no award ${award}`);
  }
  const keys = await Promise.all(keyLines.map(readKey));
  let sealedBy = null;
  for (const key of keys) {
    if (await isSealedBy(note, checkpoint.origin, key)) {
      // Of NAME/LINK, or NAME/LINK/… after a loss: the link stands right behind the key's name.
      const [first] = checkpoint.origin.slice(key.name.length + 1).split("/");
      if (first !== "" && first !== link) {
        throw new BadProof(`the seal is of ${checkpoint.origin}, the award of the link ${link}`);
      }
      sealedBy = key.name;
    }
  }
  if (keys.some(({ kind }) => kind === 1) && sealedBy === null) {
    throw new BadProof("the seal is not signed with the key that was given");
  }
  const witnesses = await cosignatures(note, checkpoint.origin, keys);
  // Whoever gives the line of a witness asks for its word.
  const silent = keys.find(
    ({ kind, name }) =>
      kind === 4 && !witnesses.some((each) => each.checked && each.name === name),
  );
  if (silent !== undefined) {
    throw new BadProof(
      `it is not cosigned by ${silent.name}, whose line was given: leave its line out to check the casino's key alone`,
    );
  }
  return {
    award,
    link,
    made,
    settled,
    checkpoint: { ...checkpoint, root: hex(checkpoint.root) },
    leaf: hex(leaf),
    sealedBy,
    witnesses,
    seat: settled.event.seats.find(({ seat }) => seat === made.seat) ?? null,
  };
}
