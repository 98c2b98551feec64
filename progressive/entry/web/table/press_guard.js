// A press belongs to what was under the finger when it went down. The desk changes while a button is
// held: whatever takes its place must not be pressed by the same finger coming up.

export function guardPresses() {
  let pressed = null;
  document.addEventListener("pointerdown", (event) => {
    pressed = event.target;
  }, { capture: true });
  document.addEventListener("click", (event) => {
    // Keys and screen readers click without a press.
    if (event.detail > 0 && pressed !== null && !event.target.contains(pressed) && !pressed.contains(event.target)) {
      event.stopPropagation();
      event.preventDefault();
    }
  }, { capture: true });
}
