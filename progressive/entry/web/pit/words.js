// Codes of the service in words for people. What is not listed is shown with its underscores gone.

const ACTS = {
  validate_award: "Validated",
  propose_void: "Void",
  approve_void: "Approved void",
  void_round: "Voided a round",
  pay_award: "Paid",
  approve_payment: "Approved payment",
  sign_on_table: "Signed on at a table",
  acknowledge_alarm: "Acknowledged",
  table_message: "Table's message",
  log_in: "Signed in",
  log_out: "Signed out",
  manage_users: "Account changed",
  confirm_user: "Confirmed an account",
  unlock_user: "Unlocked an account",
  manage_sign_keys: "Sign's key",
};

const ALARMS = {
  link_inoperable: "Link out of service",
  table_lost: "Table lost",
  sign_stale: "Sign stale",
  implausible_input: "Implausible input",
  log_in_locked: "Many bad log-ins",
  disk_low: "Disk low",
  sign_log: "Sign log not kept",
  account_unconfirmed: "Account not confirmed",
  account_ended: "Account ended",
  table_ahead: "Table ahead of the journal",
  clock: "Clock was set",
  not_remembered: "Commits not remembered",
  not_archived: "Journal not archived",
  not_sealed: "Journal not sealed",
  not_witnessed: "Journal not witnessed",
  not_verified: "Journal's past not verified",
  sign_keys: "Sign keys gone",
  sign_wrong: "Sign reports what cannot be",
  lesser_rules: "Local rules ask for less",
  day_not_closed: "Gaming day not closed",
  does_not_reconcile: "Books do not come to zero",
};

const STATUSES = {
  pending: { text: "Pending", kind: "warn" },
  validated: { text: "Validated", kind: "accent" },
  paid: { text: "Paid", kind: "good" },
  void: { text: "Void", kind: null },
};

const plain = (code) => code.replaceAll("_", " ");

export const actWord = (act) => ACTS[act] ?? plain(act);
export const alarmWord = (kind) => ALARMS[kind] ?? plain(kind);

export function statusWord(award) {
  if (award.void_proposed_by !== null && award.status !== "void") {
    return { text: "Void proposed", kind: "bad" };
  }
  return STATUSES[award.status] ?? { text: award.status, kind: null };
}
