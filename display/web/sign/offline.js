// Lets the page start while the network is dead: a service worker keeps its files. Where there is
// none (plain HTTP from another machine), the sign works all the same while the network does.

const WORKER = "/sign-worker.js";
const SCOPE = "/sign/";
const LOOK_EVERY_MS = 600000;

export class Offline {
  #registration = null;
  #lookedAt = 0;
  #outdated = false;

  async start() {
    const container = navigator.serviceWorker;
    if (container === undefined) {
      return;
    }
    const hadOne = container.controller !== null;
    container.addEventListener("controllerchange", () => {
      this.#outdated = hadOne;
    });
    try {
      this.#registration = (await container.register(WORKER, { scope: SCOPE })) ?? null;
      const ready = await container.ready;
      ready.active.postMessage({ keep: location.href });
    } catch {
      // No worker, no start without a network; everything else goes on.
    }
  }

  // A new version has taken over behind this page: it should load afresh when nobody minds.
  get outdated() {
    return this.#outdated;
  }

  // The service may have come back as a new version: ask now and then, and when it did.
  look(nowMs, { force = false } = {}) {
    if (this.#registration !== null && (force || nowMs - this.#lookedAt > LOOK_EVERY_MS)) {
      this.#lookedAt = nowMs;
      this.#registration.update().catch(() => {});
    }
  }
}
