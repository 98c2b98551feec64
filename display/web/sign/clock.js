// The only place that asks what time it is. Everything that moves on a sign hangs on one beat and,
// while digits roll, on the browser's frames: nothing else keeps a timer, so none can pile up.

const BEAT_MS = 250;

// Steady for spans, the wall's for what people read, frames for what rolls.
export const clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  frame: (draw) => requestAnimationFrame(draw),
};

// Calls its parts four times a second, in the order they came, for the life of the page.
export class Beat {
  #parts = [];

  add(part) {
    this.#parts.push(part);
  }

  start() {
    setInterval(() => this.#parts.forEach((part) => part()), BEAT_MS);
  }
}

// Milliseconds since now, by whichever clock says more: the steady one may stand still while a
// machine sleeps, the other may be set. Either alone could call an old amount live.
export function stopwatch({ now, wall } = clock) {
  const steadyStart = now();
  const wallStart = wall();
  return () => Math.max(now() - steadyStart, wall() - wallStart);
}
