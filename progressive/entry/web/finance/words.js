// Codes of the service in words for people.

export const DAY_STATES = {
  running: { text: "Under way", short: "under way", mark: "" },
  open: { text: "Open", short: "open", mark: "" },
  ready: { text: "Ready to close", short: "ready", mark: "" },
  prepared: { text: "Prepared", short: "prepared", mark: "1" },
  closed: { text: "Closed", short: "closed", mark: "✓" },
  restated: { text: "Closed and restated", short: "restated", mark: "✓" },
  outside: { text: "Before the first close", short: "outside", mark: "" },
};

export const CHECK_STATES = {
  agrees: { text: "agrees", mark: "✓" },
  explained: { text: "explained", mark: "✓" },
  none: { text: "nothing to check", mark: "–" },
  open: { text: "open", mark: "" },
};

export const PART_NAMES = { primary: "On display", reset: "Reset meter", overflow: "Overflow" };

export const AWARD_STATES = {
  rack: "Rack",
  pending: "Pending",
  validated: "Validated",
  paid: "Paid",
  void: "Void",
};

const RECORDS = {
  wagers_registered: "Lock-out",
  round_settled: "Settlement",
  settled_early: "Early settlement",
  round_voided: "Round voided",
  award_validated: "Award validated",
  payment_approved: "Payment approved",
  award_paid: "Award paid",
  void_proposed: "Void proposed",
  award_voided: "Award voided",
  void_withdrawn: "Void withdrawn",
  round_validated: "Payouts confirmed",
  correction_proposed: "Correction proposed",
  correction_approved: "Correction made",
  correction_refused: "Correction refused",
  checkpointed: "Checkpoint",
  link_opened: "Link opened",
  link_reopened: "Link reopened",
  terms_changed: "Terms changed",
  floor_recorded: "Floor recorded",
  dealer_signed_on: "Dealer",
  finance_entered: "Entered by finance",
  day_prepared: "Day prepared",
  day_closed: "Day closed",
};

export const ENTRIES = {
  reading: "Sign reading",
  cage: "Cage file",
  ledger: "Ledger balance",
  bank: "Bank balance",
  form: "Tax form filed",
  notified: "Accounting notified",
  explained: "Explanation",
  returned: "Sent back",
};

export const plain = (code) => code.replaceAll("_", " ");
export const recordWord = (type) => RECORDS[type] ?? plain(type);
export const entryWord = (type) => ENTRIES[type] ?? plain(type);

// A person, whether the service sends a name alone, or a name with a department.
export const nameOf = (who) => (typeof who === "string" ? who : (who?.name ?? who?.[0] ?? ""));
export const isMe = (who, me) => nameOf(who).trim().toLowerCase() === (
  me.user ?? ""
).trim().toLowerCase();
