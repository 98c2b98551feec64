// Times in the floor's own zone, from <html data-time-zone>, whatever the machine's is.

function format(options) {
  let made = null;
  return (time) => {
    const timeZone = document.documentElement.dataset.timeZone || undefined;
    made ??= new Intl.DateTimeFormat("en-GB", { ...options, timeZone, hourCycle: "h23" });
    return made.format(typeof time === "string" ? new Date(time) : time);
  };
}

// "21:04:37"
export const clockText = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });

// "16 Nov 2026, 21:04:37"
export const dateTimeText = format({
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

// "3 s", "12 min", "4 h", "2 d": for what only matters roughly.
export function spanText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min`;
  }
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}
