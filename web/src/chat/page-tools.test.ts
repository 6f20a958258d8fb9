import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pageTools, readTables } from "./page-tools.ts";

function setUp() {
  const gone: string[] = [];
  const tools = pageTools({
    paths: () => ["/", "/files/browse"],
    current: () => "/chat",
    go: (path) => gone.push(path),
  });
  return { tools, gone };
}

describe("the oracle's tools in the tab", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("list the pages and the one that is shown", async () => {
    const { tools } = setUp();
    expect(await tools.list_console_pages?.fn({})).toEqual({ shown: "/chat", pages: ["/", "/files/browse"] });
  });

  it("answer before the page is left", async () => {
    const { tools, gone } = setUp();
    expect(await tools.open_console_page?.fn({ path: "/files/browse" })).toEqual({ opened: "/files/browse" });
    expect(gone).toEqual([]);
    vi.runAllTimers();
    expect(gone).toEqual(["/files/browse"]);
  });

  it("open no address that is no page of the console", async () => {
    const { tools, gone } = setUp();
    await expect(tools.open_console_page?.fn({ path: "//evil.example" })).rejects.toThrow("There is no page");
    vi.runAllTimers();
    expect(gone).toEqual([]);
  });

  it("read tables, also those that are drawn from other elements", () => {
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
