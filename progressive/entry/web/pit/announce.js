// An award is heard and, where allowed, notified. Muting is remembered on this machine.

const KEY = "progressive.sound";
const TONES_HZ = [880, 1108.7, 1318.5];
const TONE_SECONDS = 0.16;
const LOUDNESS = 0.2;

export class Announcer {
  #context = null;
  #button;
  #notify;
  #line;

  // button mutes; notify asks for notifications; line is read aloud.
  constructor({ button, notify, line }) {
    this.#button = button;
    this.#notify = notify;
    this.#line = line;
    button.addEventListener("click", () => this.#toggle());
    this.#draw();
    // Browsers let a page sound only after somebody has touched it.
    for (const touch of ["pointerdown", "keydown"]) {
      window.addEventListener(touch, () => this.#wake(), { once: true });
    }
    const askable = "Notification" in window && Notification.permission === "default";
    notify.hidden = !askable;
    notify.addEventListener("click", async () => {
      await Notification.requestPermission();
      notify.hidden = true;
    });
  }

  get muted() {
    return localStorage.getItem(KEY) === "off";
  }

  announce(title, body) {
    this.#line.textContent = `${title}. ${body}`;
    if (!this.muted) {
      this.#sound();
    }
    if ("Notification" in window && Notification.permission === "granted") {
      new Notification(title, { body, tag: `${title} ${body}` });
    }
  }

  #toggle() {
    localStorage.setItem(KEY, this.muted ? "on" : "off");
    this.#draw();
    if (!this.muted) {
      this.#wake();
      this.#sound();
    }
  }

  #draw() {
    this.#button.setAttribute("aria-pressed", String(!this.muted));
    this.#button.textContent = this.muted ? "Sound off" : "Sound on";
  }

  #wake() {
    this.#context ??= new AudioContext();
    this.#context.resume();
  }

  #sound() {
    if (this.#context?.state !== "running") {
      return;
    }
    const now = this.#context.currentTime;
    TONES_HZ.forEach((hertz, index) => {
      const from = now + index * TONE_SECONDS;
      const tone = new OscillatorNode(this.#context, { frequency: hertz });
      const volume = new GainNode(this.#context, { gain: 0 });
      volume.gain.setValueAtTime(LOUDNESS, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + TONE_SECONDS);
      tone.connect(volume).connect(this.#context.destination);
      tone.start(from);
      tone.stop(from + TONE_SECONDS);
    });
  }
}
