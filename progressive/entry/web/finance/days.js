// Gaming days and moments in words, and moments of the floor's clock as the journal writes them.

const zone = () => document.documentElement.dataset.timeZone || undefined;

function dayFormat(options) {
  const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}

// "Tuesday 3 November 2026", "Tue 3 Nov", "3 Nov".
export const longDay = dayFormat(
  { weekday: "long", day: "numeric", month: "long", year: "numeric" },
);
export const shortDay = dayFormat({ weekday: "short", day: "numeric", month: "short" });
export const plainDay = dayFormat({ day: "numeric", month: "short" });
export const monthText = dayFormat({ month: "long", year: "numeric" });

// The day so many days later; before it, with a minus.
export function dayAfter(day, count) {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + count);
  return at.toISOString().slice(0, 10);
}

let moment = null;

// "Wed 4 Nov, 06:00" by the floor's clock.
export function momentText(at) {
  moment ??= new Intl.DateTimeFormat("en-GB", {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23", timeZone: zone(),
  });
  return moment.format(new Date(at));
}

// "2026-11-03T21:04" by the floor's clock, for a field.
export function localInput(at) {
  const parts = wall(at);
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

// The moment that the floor's clock showed this. Of an hour that comes twice, the first.
export function momentOf(local) {
  const asked = Date.parse(`${local}Z`);
  const first = asked - offsetMs(asked - 86_400_000);
  const at = localInput(first) === local.slice(0, 16) ? first : asked - offsetMs(asked);
  return new Date(at).toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
}

function offsetMs(at) {
  const { year, month, day, hour, minute, second } = wall(at);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function wall(at) {
  const format = new Intl.DateTimeFormat("en-GB", {
    year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    second: "2-digit", hourCycle: "h23", timeZone: zone(),
  });
  return Object.fromEntries(
    format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
  );
}
