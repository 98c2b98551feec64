// The numerals of the signs, drawn by us: a kiosk's fonts are whatever its system came with. Each
// face gives the same ten skeletons its own proportions; the style sheets give them ink.

const CELL = 120; // Height of a cell: one em.
const TOP = 10;
const CAP = 100;

// Centre lines of a numeral `wide` across, drawn with a pen of `pen` and corners of `radius`;
// `waist` is how far down the bowls of 5, 6, 8 and 9 meet.
function skeletons({ wide, pen, radius, waist }) {
  const l = pen / 2;
  const r = wide - pen / 2;
  const t = TOP + pen / 2;
  const b = TOP + CAP - pen / 2;
  const m = t + (b - t) * waist;
  const c = (l + r) / 2;
  const big = Math.min(radius, (r - l) / 2);
  const up = Math.min(big, (m - t) / 2);
  const low = Math.min(big, (b - m) / 2);
  const arc = (size, x, y, sweep = 1) => `A${size} ${size} 0 0 ${sweep} ${x} ${y}`;
  const ring = (top, bottom, size) =>
    `M${l} ${top + size}${arc(size, l + size, top)}H${r - size}${arc(size, r, top + size)}` +
    `V${bottom - size}${arc(size, r - size, bottom)}H${l + size}${arc(size, l, bottom - size)}Z`;
  const six = (x0, x1, y0, y1, ym) => {
    const toX = Math.sign(x1 - x0);
    const toY = Math.sign(y1 - y0);
    const bowl = Math.min(big, Math.abs(y1 - ym) / 2);
    return (
      `M${x1} ${y0 + toY * big}${arc(big, x1 - toX * big, y0, 0)}H${x0 + toX * big}` +
      `${arc(big, x0, y0 + toY * big, 0)}V${y1 - toY * bowl}${arc(bowl, x0 + toX * bowl, y1, 0)}` +
      `H${x1 - toX * bowl}${arc(bowl, x1, y1 - toY * bowl, 0)}V${ym + toY * bowl}` +
      `${arc(bowl, x1 - toX * bowl, ym, 0)}H${x0}`
    );
  };
  const hook = (b - t) * 0.2;
  const foot = b - (b - t) * 0.26;
  const stem = c + (r - l) * 0.12;
  const post = r - (r - l) * 0.2;
  const leg = l + (r - l) * 0.3;
  return [
    ring(t, b, big),
    `M${stem} ${TOP}V${TOP + CAP}M${stem - (r - l) * 0.5} ${t + hook}L${stem} ${t + pen * 0.1}`,
    `M${l} ${t + big}${arc(big, l + big, t)}H${r - big}${arc(big, r, t + big)}V${t + big + (b - t) * 0.06}` +
      `C${r} ${m + (b - t) * 0.16} ${l} ${b - (b - t) * 0.26} ${l} ${b}H${r + pen / 2}`,
    `M${l} ${t + up}${arc(up, l + up, t)}H${r - up}${arc(up, r, t + up)}V${m - up}${arc(up, r - up, m)}` +
      `H${c - (r - l) * 0.12}M${r - low} ${m}${arc(low, r, m + low)}V${b - low}${arc(low, r - low, b)}` +
      `H${l + low}${arc(low, l, b - low)}`,
    `M${post} ${TOP}V${TOP + CAP}M${post} ${t + pen * 0.05}L${l + pen * 0.1} ${foot}H${r + pen / 2}`,
    `M${r} ${t}H${l}V${m}H${r - low}${arc(low, r, m + low)}V${b - low}${arc(low, r - low, b)}` +
      `H${l + low}${arc(low, l, b - low)}`,
    six(l, r, t, b, m),
    `M${l - pen / 2} ${t}H${r}C${r} ${t + (b - t) * 0.3} ${leg} ${t + (b - t) * 0.5} ${leg} ${TOP + CAP}`,
    ring(t, m, up) + ring(m, b, low),
    six(r, l, b, t, t + b - m),
  ];
}

// Currency marks and separators in the same hand. What is not drawn here is set in type.
function marks({ wide, pen, radius, waist }) {
  const small = { wide: wide * 0.9, pen: pen * 0.86, radius, waist: 0.5 };
  const l = small.pen / 2;
  const r = small.wide - small.pen / 2;
  const t = TOP + 12 + small.pen / 2;
  const b = TOP + CAP - 12 - small.pen / 2;
  const m = (t + b) / 2;
  const bowl = Math.min(radius, (m - t) / 2, (r - l) / 2);
  const arc = (x, y, sweep) => `A${bowl} ${bowl} 0 0 ${sweep} ${x} ${y}`;
  const c = (l + r) / 2;
  const foot = TOP + CAP;
  const dot = pen * 1.08;
  const box = (x) => `M${x} ${foot - dot}h${dot}v${dot}h${-dot}Z`;
  return {
    $: {
      wide: small.wide,
      lines:
        `M${r} ${t + bowl}${arc(r - bowl, t, 0)}H${l + bowl}${arc(l, t + bowl, 0)}V${m - bowl}` +
        `${arc(l + bowl, m, 0)}H${r - bowl}${arc(r, m + bowl, 1)}V${b - bowl}${arc(r - bowl, b, 1)}` +
        `H${l + bowl}${arc(l, b - bowl, 1)}M${c} ${TOP}V${t}M${c} ${b}V${TOP + CAP}`,
    },
    "€": {
      wide: small.wide,
      lines:
        `M${r} ${t + bowl}${arc(r - bowl, t, 0)}H${l + bowl + 6}${arc(l + 6, t + bowl, 0)}V${b - bowl}` +
        `${arc(l + 6 + bowl, b, 0)}H${r - bowl}${arc(r, b - bowl, 0)}M${l - 2} ${m - 8}H${r - 10}` +
        `M${l - 2} ${m + 8}H${r - 14}`,
    },
    ".": { wide: dot, solid: box(0) },
    ",": {
      wide: dot,
      solid: `${box(0)}M${dot} ${foot}l${-dot * 0.55} ${dot * 0.7}h${-dot * 0.4}l${dot * 0.3} ${-dot * 0.7}Z`,
    },
  };
}

// Five by seven, for strips of light: every pixel a square of whole pixels of the glass.
const PIXELS = {
  0: "01110 10001 10011 10101 11001 10001 01110",
  1: "00100 01100 00100 00100 00100 00100 01110",
  2: "01110 10001 00001 00110 01000 10000 11111",
  3: "01110 10001 00001 00110 00001 10001 01110",
  4: "00010 00110 01010 10010 11111 00010 00010",
  5: "11111 10000 11110 00001 00001 10001 01110",
  6: "00110 01000 10000 11110 10001 10001 01110",
  7: "11111 00001 00010 00100 01000 01000 01000",
  8: "01110 10001 10001 01110 10001 10001 01110",
  9: "01110 10001 10001 01111 00001 00010 01100",
  $: "00100 01111 10100 01110 00101 11110 00100",
  ".": "0 0 0 0 0 0 1",
  ",": "00 00 00 00 00 01 10",
};
const PIXEL = CELL / 9; // Seven rows, and one of air above and below.

function pixelLines(rows) {
  const squares = [];
  rows.split(" ").forEach((row, y) => {
    [...row].forEach((lit, x) => {
      if (lit === "1") {
        squares.push(`M${x * PIXEL} ${(y + 1) * PIXEL}h${PIXEL}v${PIXEL}h${-PIXEL}Z`);
      }
    });
  });
  return squares.join("");
}

function pixelFace() {
  const glyph = (sign) => ({
    wide: PIXELS[sign].indexOf(" ") * PIXEL,
    solid: pixelLines(PIXELS[sign]),
  });
  return {
    cell: CELL,
    gap: PIXEL,
    wide: 5 * PIXEL,
    digits: Array.from({ length: 10 }, (_, digit) => glyph(digit)),
    marks: { $: glyph("$"), ".": glyph("."), ",": glyph(",") },
    layers: ["ink"],
  };
}

function penFace({ gap, layers, ...pen }) {
  return {
    cell: CELL,
    gap,
    wide: pen.wide,
    digits: skeletons(pen).map((lines) => ({ wide: pen.wide, lines })),
    marks: marks(pen),
    layers,
  };
}

// Layers are drawn one over the other, each a class for the style sheet.
const FACES = {
  midnight: () => penFace({ wide: 60, pen: 18, radius: 24, waist: 0.48, gap: 11, layers: ["ink"] }),
  deco: () =>
    penFace({ wide: 58, pen: 15, radius: 30, waist: 0.4, gap: 12, layers: ["ink", "inline"] }),
  neon: () =>
    penFace({
      wide: 56,
      pen: 8,
      radius: 17,
      waist: 0.48,
      gap: 17,
      layers: ["haze", "glow", "ink"],
    }),
  ivory: () => penFace({ wide: 62, pen: 13, radius: 31, waist: 0.46, gap: 11, layers: ["ink"] }),
  pixel: pixelFace,
};

export const faceOf = (name) => (FACES[name] ?? FACES.midnight)();
