// A socket to the service: connects, notices silence, comes back by itself, for ever. It never
// looks into a frame: the page says which ones count as a sign of life.

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;
const WATCH_EVERY_MS = 250;
const NOT_LEADER = 4503;
const staysAway = (code) => (code >= 4400 && code < 4500) || code === NOT_LEADER;

// Both clocks: the monotonic one may stand still while a machine sleeps, the other may be set.
// Either of them alone could call old amounts live.
function stopwatch() {
  const wall = Date.now();
  const steady = performance.now();
  return () => Math.max(Date.now() - wall, performance.now() - steady);
}

export class LiveSocket {
  #url;
  #staleMs;
  #accept;
  #lost;
  #sentAway;
  #socket = null;
  #settled = false; // True once this connection has given the page something it accepted.
  #sinceHeard = stopwatch();
  #sinceSettled = stopwatch();
  #delayMs = FIRST_DELAY_MS;
  #retry = 0;
  #away = false; // Sent away by the service: only the page may call it back.

  // accept(data, fresh) answers true if the frame is good and current; fresh means that nothing on
  // this connection was accepted before. lost() is called when amounts can no longer be trusted.
  // url is an address, or a function that gives the one for the next connection.
  // sentAway(code, reason), where given, is called when the service closed with a "stay away" code
  // (44xx), or said that another node leads (4503); no further attempt is made then until start() or
  // restart() is called.
  constructor({ url, staleMs, accept, lost, sentAway = null }) {
    this.#url = url;
    this.#staleMs = staleMs;
    this.#accept = accept;
    this.#lost = lost;
    this.#sentAway = sentAway;
  }

  start() {
    setInterval(() => this.#watch(), Math.min(WATCH_EVERY_MS, this.#staleMs / 4));
    const wake = () => this.#wake();
    window.addEventListener("online", wake);
    window.addEventListener("pageshow", (event) => event.persisted && wake());
    document.addEventListener("resume", wake);
    document.addEventListener("visibilitychange", () => !document.hidden && wake());
    this.#connect();
  }

  // True if the message was handed to an open connection.
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return false;
    }
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  // For the page: this connection cannot tell the truth any more, get a new snapshot.
  restart() {
    this.#drop();
    this.#connectLater();
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#away = false;
    const url = typeof this.#url === "function" ? this.#url() : this.#url;
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#settled = false;
    this.#sinceHeard = stopwatch();
    socket.addEventListener("message", (event) => {
      if (socket === this.#socket) {
        this.#hear(event.data);
      }
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (socket !== this.#socket) {
        return;
      }
      if (this.#sentAway !== null && staysAway(code)) {
        this.#away = true;
        this.#drop();
        this.#sentAway(code, reason);
      } else {
        this.restart();
      }
    });
  }

  #hear(data) {
    // Frames that waited out a sleep must not pass for fresh ones.
    if (this.#sinceHeard() > this.#staleMs) {
      this.restart();
      return;
    }
    const socket = this.#socket;
    if (!this.#accept(data, !this.#settled) || socket !== this.#socket) {
      return;
    }
    this.#sinceHeard = stopwatch();
    if (!this.#settled) {
      this.#settled = true;
      this.#sinceSettled = stopwatch();
    }
  }

  // An abandoned socket is not waited for: on a dead network its close can take minutes.
  #drop() {
    const socket = this.#socket;
    // A connection that held for a while was a good one; one that did not must not be hammered.
    if (this.#settled && this.#sinceSettled() > this.#staleMs) {
      this.#delayMs = FIRST_DELAY_MS;
    }
    this.#socket = null;
    this.#settled = false;
    socket?.close();
    this.#lost();
  }

  // The jitter keeps a whole floor of signs from coming back in the same instant.
  #connectLater() {
    clearTimeout(this.#retry);
    const delayMs = this.#delayMs * (0.5 + Math.random() / 2);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
    this.#retry = setTimeout(() => this.#connect(), delayMs);
  }

  #watch() {
    if (this.#socket !== null && this.#sinceHeard() > this.#staleMs) {
      this.restart();
    }
  }

  // The machine woke or the network came back: do not sit out a back-off. A healthy connection is
  // left alone, and so is an attempt that has only just begun.
  #wake() {
    const patienceMs = this.#settled ? this.#staleMs : FIRST_DELAY_MS;
    if (this.#away || (this.#socket !== null && this.#sinceHeard() <= patienceMs)) {
      return;
    }
    this.#drop();
    this.#delayMs = FIRST_DELAY_MS;
    this.#connect();
  }
}

// The address of a socket of this very service.
export function socketUrl(path) {
  const url = new URL(path, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
