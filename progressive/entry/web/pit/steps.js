// What can be done about an award, by whom, and what it waits for. Pure. The service decides for
// itself; this only keeps people from pressing what it would refuse.

const STEPS = {
  validate: { act: "validate_award", path: "validate", label: "Validate", primary: true },
  approve: { act: "approve_payment", path: "approve", label: "Approve payment", primary: true },
  pay: { act: "pay_award", path: "pay", label: "Pay", primary: true },
  approveVoid: { act: "approve_void", path: "void/approve", label: "Approve void", danger: true },
  withdrawVoid: { act: "propose_void", path: "void/withdraw", label: "Withdraw void" },
  proposeVoid: { act: "propose_void", path: "void", label: "Void…", danger: true },
};

export const step = (name) => ({ name, ...STEPS[name] });

const same = (one, other) =>
  one !== null && one.trim().toLowerCase() === other.trim().toLowerCase();
const is = (signature, me) => signature !== null && same(signature.name, me.user);

// The steps that this person may take now, the one that leads on first.
export function stepsFor(award, me) {
  return openSteps(award, me)
    .filter((name) => me.may(STEPS[name].act))
    .map(step);
}

function openSteps(award, me) {
  if (award.void_proposed_by !== null) {
    const second = is(award.void_proposed_by, me) ? [] : ["approveVoid"];
    return [...second, "withdrawVoid"];
  }
  if (award.status === "pending") {
    return is(award.dealt_by, me) ? ["proposeVoid"] : ["validate", "proposeVoid"];
  }
  return [...paymentSteps(award, me), "proposeVoid"];
}

function paymentSteps(award, me) {
  if (hasSigned(award, me)) {
    return [];
  }
  if (missingApprovals(award) > 0) {
    return same(award.validated_by.department, me.department) ? [] : ["approve"];
  }
  return ["pay"];
}

// Nobody signs twice on the way to the cage.
function hasSigned(award, me) {
  return [award.validated_by, ...award.approved_by].some((each) => is(each, me));
}

export function missingApprovals(award) {
  return Math.max(0, award.approvers - award.approved_by.length);
}

// One sentence: what it waits for.
export function waitsFor(award, me) {
  if (award.void_proposed_by !== null) {
    const by = award.void_proposed_by.name;
    const second = "A second supervisor approves or withdraws.";
    return `${by} says it is void: “${award.void_reason}”. ${second}`;
  }
  if (award.status === "pending") {
    return is(award.dealt_by, me)
      ? "A supervisor validates it; not you, you dealt."
      : "A supervisor checks light and cards, and validates.";
  }
  const missing = missingApprovals(award);
  const validator = award.validated_by;
  if (missing > 0) {
    const people = missing === 1 ? "one approval" : `${missing} approvals`;
    return `It needs ${people} from another department than ${validator.department}.`;
  }
  const signers = [validator, ...award.approved_by].map((each) => each.name).join(" and ");
  return hasSigned(award, me)
    ? "It can be paid; not by you, you have signed already."
    : `It can be paid, by somebody other than ${signers}.`;
}

// Whether a step of this person's is in the award as it stands: what a lost answer would have said.
export function wasTaken(name, award, me) {
  switch (name) {
    case "validate":
      return is(award.validated_by, me);
    case "approve":
      return award.approved_by.some((each) => is(each, me));
    case "pay":
      return is(award.paid_by, me);
    case "proposeVoid":
      return is(award.void_proposed_by, me);
    case "approveVoid":
      return is(award.voided_by, me);
    case "withdrawVoid":
      return award.void_proposed_by === null && award.status !== "void";
    default:
      return false;
  }
}
