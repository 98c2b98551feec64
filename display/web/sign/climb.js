// How digits climb to the newest durable amount: smoothly, and never past it. Pure. What can be
// read is a whole number of cents at every moment; only the turn of the last wheel is a fraction.

const FAR_STEPS = 4; // Further behind than this many usual steps is far, and caught up in a second.
const FAR_SETTLE_S = 0.35;
const SETTLE_S = { least: 0.3, most: 1.2 };
const TAIL = 4; // It slows down to this part of its pace, so that the last cents do not crawl.
const SLOWEST_CENTS_S = 4;
const SMOOTH_S = 0.1;
const LEARN = 0.3;
const PAUSE_S = 10; // Longer without growth says nothing about its pace.

export class Climb {
  #read; // Whole cents, at most the target.
  #turn = 0; // How far the last wheel is on its way to the next cent.
  #target;
  #speed = 0; // Cents a second.
  #slowest = 0;
  #settleS = 0;
  #usualStep = 0;
  #usualGapS = 1;
  #aimedAt = null;
  #movedAt = null;

  constructor(cents) {
    this.#read = cents;
    this.#target = cents;
  }

  get read() {
    return this.#read;
  }

  get turn() {
    return this.#turn;
  }

  get target() {
    return this.#target;
  }

  get still() {
    return this.#read === this.#target;
  }

  // At once, without a roll: the first amount, a fall after a win, or somebody who wants no motion.
  jump(cents) {
    this.#read = cents;
    this.#target = cents;
    this.#turn = 0;
    this.#speed = 0;
  }

  aim(cents, nowMs) {
    if (cents < this.#read || (cents === this.#read && this.#turn > 0)) {
      this.jump(cents);
      return;
    }
    if (this.still) {
      this.#movedAt = nowMs;
    }
    const step = cents - this.#target;
    this.#target = cents;
    if (step > 0) {
      this.#plan();
      this.#learn(step, nowMs);
    }
  }

  // Go on to this moment.
  move(nowMs) {
    if (this.still) {
      return;
    }
    const seconds = Math.max(0, nowMs - this.#movedAt) / 1000;
    this.#movedAt = nowMs;
    const behind = this.#target - this.#read - this.#turn;
    const wanted = Math.max(behind / this.#settleS, this.#slowest);
    this.#speed += (wanted - this.#speed) * (1 - Math.exp(-seconds / SMOOTH_S));
    const reached = this.#turn + this.#speed * seconds;
    const whole = Math.floor(reached);
    this.#read += whole;
    this.#turn = reached - whole;
    if (this.#read >= this.#target) {
      this.#read = this.#target;
      this.#turn = 0;
      this.#speed = 0;
    }
  }

  // As slow as the usual growth lets it be, so that it is still on its way when more comes.
  #plan() {
    const behind = this.#target - this.#read - this.#turn;
    const far = this.#usualStep > 0 && behind > FAR_STEPS * this.#usualStep;
    const unhurried = Math.min(Math.max(this.#usualGapS / 2, SETTLE_S.least), SETTLE_S.most);
    this.#settleS = far ? FAR_SETTLE_S : unhurried;
    this.#slowest = Math.max(behind / this.#settleS / TAIL, SLOWEST_CENTS_S);
  }

  #learn(step, nowMs) {
    const gapS = this.#aimedAt === null ? this.#usualGapS : (nowMs - this.#aimedAt) / 1000;
    this.#aimedAt = nowMs;
    if (gapS < PAUSE_S) {
      this.#usualGapS += LEARN * (gapS - this.#usualGapS);
    }
    const known = this.#usualStep || step;
    this.#usualStep = known + LEARN * (Math.min(step, FAR_STEPS * known) - known);
  }
}
