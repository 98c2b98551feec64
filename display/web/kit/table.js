// A table of rows that come and go. Rows that stay keep their elements.

import { h, KeyedList, setAttribute, setText } from "./dom.js";

// columns: { label, value(row) -> text or element, number, same }. The first column names the row.
// A column with `same` is drawn anew only when same(row) has changed: for values that are elements.
export class DataTable {
  #body;
  #empty;
  #list;
  #frame;

  constructor(container, { caption, columns, key, kind = () => null, empty }) {
    const head = h(
      "tr",
      {},
      columns.map((column) =>
        h("th", { scope: "col", class: column.number ? "number" : null }, column.label),
      ),
    );
    this.#body = h("tbody");
    this.#empty = h("p", { class: "empty" }, empty);
    this.#frame = h(
      "div",
      // Scrollable areas must be reachable by keyboard.
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
      h(
        "table",
        { class: "data stacks" },
        h("caption", { class: "visually-hidden" }, caption),
        h("thead", {}, head),
        this.#body,
      ),
    );
    container.replaceChildren(this.#frame, this.#empty);
    this.#list = new KeyedList(this.#body, { key, make: () => rowOf(columns, kind) });
    this.show([]);
  }

  show(rows) {
    this.#list.show(rows);
    setAttribute(this.#frame, "hidden", rows.length === 0);
    setAttribute(this.#empty, "hidden", rows.length > 0);
  }
}

function rowOf(columns, kind) {
  const cells = columns.map((column, index) =>
    index === 0
      ? h("th", { scope: "row" })
      : h("td", { class: column.number ? "number" : null, "data-label": column.label }),
  );
  const drawn = columns.map(() => undefined); // No row has such a mark: all is drawn at first.
  const element = h("tr", {}, cells);
  const update = (row) => {
    setAttribute(element, "data-kind", kind(row));
    columns.forEach((column, index) => {
      const mark = column.same ? column.same(row) : null;
      if (column.same && mark === drawn[index]) {
        return;
      }
      drawn[index] = mark;
      const value = column.value(row);
      if (value instanceof Node) {
        cells[index].replaceChildren(value);
      } else {
        setText(cells[index], value);
      }
    });
  };
  return { element, update };
}
