// What buttons need beyond HTML: one press, one act, until it is answered.

// Runs the work once; further presses do nothing until it is done. The button keeps its focus,
// which `disabled` would take away.
export async function whileBusy(button, work) {
  if (button.getAttribute("aria-busy") === "true") {
    return undefined;
  }
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-disabled", "true");
  try {
    return await work();
  } finally {
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  }
}
