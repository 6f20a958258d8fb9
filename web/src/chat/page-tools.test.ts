import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pageTools, readTables } from "./page-tools.ts";

function setUp(isBeside = false) {
  const gone: string[] = [];
  const tools = pageTools({
    paths: () => ["/", "/files/browse"],
    current: () => "/chat",
    go: async (path) => void gone.push(path),
    isBeside,
  });
  return { tools, gone };
}

describe("the oracle's tools in the browser tab", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("list the pages and the current one", async () => {
    const { tools } = setUp();
    expect(await tools.list_console_pages?.fn({})).toEqual({ shown: "/chat", pages: ["/", "/files/browse"] });
  });

  it("answer before the page changes", async () => {
    const { tools, gone } = setUp();
    expect(await tools.open_console_page?.fn({ path: "/files/browse" })).toEqual({ opened: "/files/browse" });
    expect(gone).toEqual([]);
    vi.runAllTimers();
    expect(gone).toEqual(["/files/browse"]);
  });

  it("answer after the page is shown, when the conversation is in the panel", async () => {
    const { tools, gone } = setUp(true);
    expect(await tools.open_console_page?.fn({ path: "/files/browse" })).toEqual({ opened: "/files/browse" });
    expect(gone).toEqual(["/files/browse"]);
  });

  it("read the page's text without hidden elements and without the conversation in the panel", async () => {
    document.body.innerHTML = `
      <main id="content"><h1>Vouchers</h1>
        <table aria-label="Shown"><tr><td>1</td></tr></table>
        <div hidden><table aria-label="Hidden"><tr><td>2</td></tr></table></div></main>
      <aside><table aria-label="Panel"><tr><td>3</td></tr></table></aside>`;
    const { tools } = setUp(true);
    expect(await tools.read_shown_tables?.fn({})).toEqual({
      page: "/chat",
      heading: "Vouchers",
      tables: [{ label: "Shown", rows: [["1"]] }],
    });
  });

  it("refuse an address that is not a page of the console", async () => {
    const { tools, gone } = setUp();
    await expect(tools.open_console_page?.fn({ path: "//evil.example" })).rejects.toThrow("There is no page");
    vi.runAllTimers();
    expect(gone).toEqual([]);
  });

  it("read tables, also those made of other elements", () => {
    const page = document.createElement("div");
    page.innerHTML = `
      <table aria-label="Stoves"><tr><th>Region</th></tr><tr><td> Lusaka </td></tr></table>
      <div role="table" aria-label="Vouchers"><div role="row"><span role="cell">7</span></div></div>`;
    expect(readTables(page)).toEqual([
      { label: "Stoves", rows: [["Region"], ["Lusaka"]] },
      { label: "Vouchers", rows: [["7"]] },
    ]);
  });
});
