// Runs in the page under test; gives what is wrong with it, one line each.
(options) => {
  const found = [];
  const told = (element) => {
    const text = element.textContent.trim().slice(0, 40);
    return `<${element.localName}${element.id ? "#" + element.id : ""}> "${text}"`;
  };
  const shown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) {
    found.push(`id twice: ${id}`);
  }
  if (!document.documentElement.lang) found.push("no language");
  if (document.title.trim() === "") found.push("no title");
  if (document.querySelectorAll("main").length !== 1) found.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(" ")) {
        if (!document.getElementById(id)) found.push(`${name} points nowhere: ${told(element)}`);
      }
    }
  }

  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!shown(heading)) continue;
    const next = Number(heading.localName[1]);
    if (next > level + 1 && level > 0) found.push(`heading skips a level: ${told(heading)}`);
    level = next;
  }

  const named = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ");
    return [
      element.getAttribute("aria-label"),
      ...by.map((id) => document.getElementById(id)?.textContent),
      ...[...(element.labels ?? [])].map((label) => label.textContent),
      ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName) ? "" : element.textContent,
    ].some((text) => text?.trim());
  };
  const controls =
    "a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']";
  for (const element of document.querySelectorAll(controls)) {
    if (!shown(element)) continue;
    if (!named(element)) found.push(`no name: ${told(element)}`);
    const box = element.getBoundingClientRect();
    const target = Math.min(box.width, box.height);
    // Words within a sentence are links as high as the line: only buttons are measured.
    if (element.matches("button, .button, input:not([type=checkbox])") && target < options.target) {
      found.push(`too small to hit (${Math.round(target)} px): ${told(element)}`);
    }
  }
  for (const element of document.querySelectorAll("img, [role=img]")) {
    if (!element.alt && !element.getAttribute("aria-label")) found.push(`no alt: ${told(element)}`);
  }

  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) =>
    [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const luminance = ([r, g, b]) => {
    const part = (value) => {
      const v = value / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !shown(element) || element.closest(".visually-hidden")) continue;
    const style = getComputedStyle(element);
    const back = ground(element);
    const front = over(rgba(style.color), back);
    const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : options.contrast)) {
      found.push(`contrast ${ratio.toFixed(2)}: ${told(element)}`);
    }
  }

  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    found.push(`wider than the screen: ${root.scrollWidth} > ${root.clientWidth}`);
  }
  return found;
}
