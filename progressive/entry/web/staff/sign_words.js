// A sign's row of the pit socket in words: what it shows, how far it is behind, when it spoke.

import { spanText } from "../kit/time.js";

// What a sign says itself about its amounts.
const SHOWS = {
  live: ["Live", "good"],
  ageing: ["Ageing", "warn"],
  stale: ["Stale", "bad"],
  inoperable: ["Out of service", "warn"],
  offline: ["Offline", "bad"],
};

// [text, kind]: the service's judgement first, then the sign's own word.
export function signState(sign) {
  if (sign.state === "unseen") {
    return ["Not seen", null];
  }
  if (sign.state === "gone") {
    return ["No contact", "bad"];
  }
  if (sign.state === "wrong") {
    return ["Wrong", "bad"];
  }
  const [text, kind] = SHOWS[sign.shows] ?? ["Connected", "good"];
  if (sign.state === "behind") {
    return kind === "good" ? ["Behind", "bad"] : [text, "bad"];
  }
  return [text, kind];
}

export function lagText(sign) {
  if (sign.state === "unseen") {
    return "—";
  }
  if (sign.state === "gone") {
    return spanText(sign.lag_seconds * 1000);
  }
  const records = sign.lag_records === 1 ? "1 record" : `${sign.lag_records} records`;
  return sign.lag_seconds > 0 ? `${spanText(sign.lag_seconds * 1000)}, ${records}` : records;
}

export function reportText(sign) {
  if (sign.report_age_seconds === null || sign.report_age_seconds === undefined) {
    return sign.connected ? "says nothing" : "—";
  }
  const age = sign.report_age_seconds;
  const when = age === 0 ? "now" : `${spanText(age * 1000)} ago`;
  return sign.relayed ? `${when}, by a relay` : when;
}
