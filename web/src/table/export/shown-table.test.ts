// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { rowsShownIn } from "./shown-table.ts";

function rowsOf(html: string) {
  document.body.innerHTML = `<table>${html}</table>`;
  return rowsShownIn(document.querySelector("table") as HTMLTableElement, "Balance");
}

describe("a table of a page as a file", () => {
  it("has whole values where the page shows shortened or formatted ones", () => {
    const rows = rowsOf(`<thead><tr><th>Day</th><th>Paid</th><th>Transaction</th><th>State</th></tr></thead>
      <tbody><tr><td><time datetime="2026-03-01">1 March</time></td><td><data value="1234.5">1 234,50 USD</data></td>
      <td><code title="0x0123456789">0x01…89</code><button title="Copy">Copy</button></td>
      <td><span>Paid</span> <span>in part</span><svg><title>mark</title></svg></td></tr></tbody>`);
    expect(rows).toEqual([{ Day: "2026-03-01", Paid: "1234.5", Transaction: "0x0123456789", State: "Paid in part" }]);
  });

  it("leaves out columns that have only buttons, and keeps empty ones", () => {
    const rows = rowsOf(`<thead><tr><th>Name</th><th>Note</th><th>Action</th></tr></thead>
      <tbody><tr><td>A</td><td></td><td><button>End</button></td></tr><tr><td>B</td><td></td><td></td></tr></tbody>
      <tfoot><tr><th>Total</th><td></td><td></td></tr></tfoot>`);
    expect(rows).toEqual([
      { Name: "A", Note: "" },
      { Name: "B", Note: "" },
      { Name: "Total", Note: "" },
    ]);
  });

  it("names columns that have no header, or the same one twice, and keeps cells below their column", () => {
    expect(rowsOf("<tbody><tr><th>Verified</th><td>12</td></tr></tbody>")).toEqual([{ Balance: "Verified", 2: "12" }]);
    const rows = rowsOf(`<thead><tr><th>Kg</th><th>Kg</th></tr></thead>
      <tbody><tr><td colspan="2">none</td></tr><tr><td>1</td><td>2</td></tr></tbody>`);
    expect(rows).toEqual([
      { Kg: "none", "Kg 2": "" },
      { Kg: "1", "Kg 2": "2" },
    ]);
  });
});
