// The field of a dialog that asks why: what people void is void for a reason that they give.

export const REASON = {
  name: "reason",
  label: "Reason",
  type: "textarea",
  required: true,
  minLength: 3,
  maxLength: 500,
};
