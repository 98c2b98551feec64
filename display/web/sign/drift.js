// Keeps a glass from burning in: the whole composition wanders a few pixels over minutes, within
// room that the style sheet leaves around it, so that nothing is ever cropped.

import { clock } from "./clock.js";

const STEP_MS = 15000;
const ACROSS_STEPS = 47; // Two periods without a common measure: the path fills its room.
const DOWN_STEPS = 61;

// Where the stage stands at a step, each from -1 to 1.
export function driftAt(step) {
  return {
    x: Math.sin((2 * Math.PI * step) / ACROSS_STEPS),
    y: Math.sin((2 * Math.PI * step) / DOWN_STEPS),
  };
}

export class Drift {
  #stage;
  #step = -1;

  constructor(stage) {
    this.#stage = stage;
  }

  beat() {
    const step = Math.floor(clock.now() / STEP_MS);
    if (step === this.#step) {
      return;
    }
    this.#step = step;
    const { x, y } = driftAt(step);
    this.#stage.style.setProperty("--drift-x", x.toFixed(3));
    this.#stage.style.setProperty("--drift-y", y.toFixed(3));
  }
}
