// <finance-chart>: a chart of a report as SVG. Only where things are drawn is counted with doubles;
// what is written beside them comes from the exact figures. Arrow keys walk along it, and a table of
// the same figures opens below.

import { h } from "../kit/dom.js";
import { cellText } from "./exact.js";
import { labelText } from "./chart_scale.js";
import { bandShapes, grid, MARGIN, markShapes, s, scaleOf, seriesShapes } from "./chart_shapes.js";

export class FinanceChart extends HTMLElement {
  #chart = null;
  #height = 190;
  #at = null;
  #readout = h("p", { class: "readout small", "aria-live": "polite" });
  #plot = h("div", { class: "plot", tabindex: "0", role: "img" });
  #watch = new ResizeObserver(() => this.#draw());

  // chart: { title, kind, unit, x, x_title, series, bands, marks } as a report has it.
  set chart(chart) {
    this.#chart = chart;
    this.#at = null;
    if (this.isConnected) {
      this.#build();
    }
  }

  connectedCallback() {
    this.#height = Number(this.getAttribute("height") ?? this.#height);
    this.#plot.addEventListener("pointermove", (event) => this.#point(event));
    this.#plot.addEventListener("pointerleave", () => this.#choose(null));
    this.#plot.addEventListener("blur", () => this.#choose(null));
    this.#plot.addEventListener("keydown", (event) => this.#walk(event));
    this.#build();
    this.#watch.observe(this.#plot);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
  }

  #build() {
    if (this.#chart === null) {
      return;
    }
    const { title, kind, series, bands, marks } = this.#chart;
    const keys = [
      ...series.map((each, at) => h("li", { class: `key-${at}` }, each.name)),
      ...bands.map((each) => h("li", { class: "key-band" }, each.name)),
      ...(marks.length > 0 ? [h("li", { class: "key-mark" }, "Hit")] : []),
    ];
    this.#plot.setAttribute("aria-label", `${title}: ${this.#spoken()}`);
    const table = h("div", {});
    const details = h("details", {}, h("summary", {}, "Figures"), table);
    details.addEventListener(
      "toggle",
      () => table.replaceChildren(...(details.open ? [this.#table()] : [])),
    );
    this.replaceChildren(
      h(
        "header",
        {},
        h(this.getAttribute("heading") ?? "h3", {}, title),
        keys.length > 1 ? h("ul", { class: "legend small", "data-kind": kind }, keys) : "",
      ),
      this.#plot,
      this.#readout,
      details,
    );
    this.#draw();
    this.#tell();
  }

  #spoken() {
    const { x, series, unit } = this.#chart;
    return series
      .map((each) => {
        const at = each.values.findLastIndex((value) => value !== null);
        return at < 0
          ? `${each.name} nothing`
          : `${each.name} ${cellText(each.values[at], unit)} at ${labelText(x[at])}`;
      })
      .join(", ");
  }

  // --- drawing ----------------------------------------------------------------------------------

  #draw() {
    if (this.#chart === null || this.#plot.clientWidth === 0) {
      return;
    }
    const scale = scaleOf(this.#chart, { width: this.#plot.clientWidth, height: this.#height });
    const { width } = scale;
    const svg = s(
      "svg",
      {
        viewBox: `0 0 ${width} ${this.#height}`,
        width,
        height: this.#height,
        "aria-hidden": "true",
      },
    );
    svg.append(
      ...grid(this.#chart, scale),
      ...bandShapes(this.#chart, scale),
      ...seriesShapes(this.#chart, scale),
      ...markShapes(this.#chart, scale),
    );
    if (this.#at !== null) {
      const at = scale.left(this.#at);
      svg.append(s("line", { class: "cursor", x1: at, x2: at, y1: MARGIN.top, y2: scale.floor }));
    }
    this.#plot.replaceChildren(svg);
  }

  // --- one place of it ---------------------------------------------------------------------------

  #point(event) {
    const { x } = this.#chart;
    const scale = scaleOf(this.#chart, { width: this.#plot.clientWidth, height: this.#height });
    const at = event.clientX - this.#plot.getBoundingClientRect().left;
    let nearest = 0;
    for (const place of x.keys()) {
      if (Math.abs(scale.left(place) - at) < Math.abs(scale.left(nearest) - at)) {
        nearest = place;
      }
    }
    this.#choose(nearest);
  }

  #walk(event) {
    const end = this.#chart.x.length - 1;
    const from = this.#at ?? (event.key === "ArrowRight" ? -1 : end + 1);
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: end }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.#choose(Math.min(end, Math.max(0, to)));
    }
  }

  #choose(place) {
    if (place !== this.#at) {
      this.#at = place;
      this.#draw();
      this.#tell();
    }
  }

  #tell() {
    const { x, series, bands, marks, unit } = this.#chart;
    if (this.#at === null) {
      this.#readout.textContent = "";
      return;
    }
    const place = this.#at;
    const said = series.map((each) => `${each.name} ${cellText(each.values[place], unit)}`);
    for (const band of bands) {
      said.push(
        `${band.name} ${cellText(band.low[place], unit)} to ${cellText(band.high[place], unit)}`,
      );
    }
    said.push(...marks.filter((mark) => mark.at === place).map((mark) => `hit: ${mark.label}`));
    this.#readout.textContent = `${labelText(x[place])}: ${said.join(" · ")}`;
  }

  #table() {
    const { title, x, x_title: name, series, bands, unit } = this.#chart;
    const columns = [
      ...series.map((each) => [each.name, each.values]),
      ...bands.flatMap(
        (each) => [[`${each.name}, low`, each.low], [`${each.name}, high`, each.high]],
      ),
    ];
    return h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": `Figures of ${title}` },
      h(
        "table",
        { class: "data" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, name || ""),
            columns.map(([text]) => h("th", { scope: "col", class: "number" }, text)),
          ),
        ),
        h("tbody", {}, x.map((each, place) =>
          h("tr", {}, h("th", { scope: "row" }, labelText(each)), columns.map(([, values]) =>
            h("td", { class: "number" }, cellText(values[place], unit)))))),
      ),
    );
  }
}

customElements.define("finance-chart", FinanceChart);

// heading: the level that fits below the headings above it.
export function chartView(chart, { height = 190, heading = "h3" } = {}) {
  const element = h("finance-chart", { height, heading });
  element.chart = chart;
  return element;
}
