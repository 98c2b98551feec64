// Every amount that is on the glass, wherever it stands: one climb for each meter, one frame loop
// for all, and none at all while nothing moves.

import { Climb } from "./climb.js";
import { clock } from "./clock.js";

export class Amounts {
  #climbs = new Map();
  #views = new Map(); // Meter id to the views that show it.
  #still;
  #running = false;

  // still() answers true for people who asked for less motion.
  constructor(still) {
    this.#still = still;
  }

  // The newest durable amounts. Those that were not there before are simply there.
  aim(meters) {
    const now = clock.now();
    for (const { id, cents } of meters) {
      const climb = this.#climbs.get(id);
      if (climb === undefined) {
        this.#climbs.set(id, new Climb(cents));
      } else if (this.#still()) {
        climb.jump(cents);
      } else {
        climb.aim(cents, now);
      }
      this.#draw(id);
    }
    this.#run();
  }

  // Straight to the amounts: after a pause nobody saw them grow.
  jump(meters) {
    for (const { id, cents } of meters) {
      this.#climbs.get(id)?.jump(cents);
    }
    this.aim(meters);
  }

  // Only these meters are left.
  keep(ids) {
    for (const id of [...this.#climbs.keys()]) {
      if (!ids.includes(id)) {
        this.#climbs.delete(id);
      }
    }
  }

  attach(id, view) {
    if (!this.#views.has(id)) {
      this.#views.set(id, new Set());
    }
    this.#views.get(id).add(view);
    this.#draw(id);
  }

  detach(id, view) {
    this.#views.get(id)?.delete(view);
    if (this.#views.get(id)?.size === 0) {
      this.#views.delete(id);
    }
  }

  // What can be read now, in whole cents.
  read(id) {
    return this.#climbs.get(id)?.read ?? null;
  }

  #run() {
    if (!this.#running && [...this.#climbs.values()].some((climb) => !climb.still)) {
      this.#running = true;
      clock.frame(() => this.#frame());
    }
  }

  #frame() {
    this.#running = false;
    const now = clock.now();
    for (const [id, climb] of this.#climbs) {
      if (!climb.still) {
        climb.move(now);
        this.#draw(id);
      }
    }
    this.#run();
  }

  #draw(id) {
    const climb = this.#climbs.get(id);
    if (climb !== undefined) {
      this.#views.get(id)?.forEach((view) => view.show(climb.read, climb.turn, climb.target));
    }
  }
}
