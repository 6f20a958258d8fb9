import type { IBrowserTools } from "@hearth/oracles-client-sdk";
import { z } from "zod";

/** What the tools need of the router. */
export type ConsolePages = {
  /** Paths below /console, such as `/regulator/vouchers`. */
  paths: () => string[];
  /** Path of the page that is shown. */
  current: () => string;
  /** Resolves when the page is there. */
  go: (path: string) => Promise<void>;
  /** The conversation stands beside the pages and outlives a change of page. */
  isBeside: boolean;
};

/** How long a page that is left still has to tell the oracle that it is being left, in milliseconds. */
const farewellMs = 300;

/** What the oracle may do in this tab: see which pages there are, open one, and read what the shown one says. */
export function pageTools(pages: ConsolePages): IBrowserTools {
  const list = {
    toolName: "list_console_pages",
    description: "Lists the pages of the console that the user has open, and which one is shown.",
    schema: z.object({}),
    effect: "read" as const,
    fn: async () => ({ shown: pages.current(), pages: pages.paths() }),
  };
  const open = {
    toolName: "open_console_page",
    description: "Opens a page of the console in the user's tab; list_console_pages tells which there are.",
    schema: z.object({
      path: z.string().describe("Path as list_console_pages gives it, such as /regulator/vouchers."),
    }),
    effect: "write" as const,
    fn: async ({ path }: { path: string }) => {
      if (!pages.paths().includes(path)) throw new Error(`There is no page ${path}. Ask list_console_pages.`);
      if (pages.isBeside) await pages.go(path);
      // The answer goes first: the chat ends with the page that shows it.
      else setTimeout(() => void pages.go(path), farewellMs);
      return { opened: path };
    },
  };
  const read = {
    toolName: "read_shown_tables",
    description: "Reads the tables that the user sees in the console at the moment, as rows of text.",
    schema: z.object({}),
    effect: "read" as const,
    fn: async () => {
      const content = document.getElementById("content") ?? document.body;
      await shown(content);
      const heading = content.querySelector("h1")?.textContent?.trim() ?? "";
      return { page: pages.current(), heading, tables: readTables(content) };
    },
  };
  return { [list.toolName]: list, [open.toolName]: open, [read.toolName]: read };
}

export type ReadTable = { label: string; rows: string[][] };

/** Most rows of one table that are read. */
const mostRows = 100;

/** The tables that are shown as text, and none that is hidden; those that are drawn from other elements count by their roles. */
export function readTables(root: ParentNode): ReadTable[] {
  return [...root.querySelectorAll("table, [role=table], [role=grid]")].filter(isShown).map((table) => ({
    label: table.getAttribute("aria-label") ?? "",
    rows: [...table.querySelectorAll("tr, [role=row]")].slice(0, mostRows).map(readCells),
  }));
}

function isShown(element: Element): boolean {
  return element.closest("[hidden], [inert]") === null && element.checkVisibility?.() !== false;
}

/** How long a page that still reads its data is waited for, in milliseconds. */
const shownMs = 5_000;
const lookMs = 100;

/** Wait until nothing of the page says any more that it is loading. */
async function shown(content: Element): Promise<void> {
  for (const until = Date.now() + shownMs; Date.now() < until; ) {
    if (content.querySelector("[data-loading]") === null) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

function readCells(row: Element): string[] {
  const cells = row.querySelectorAll("th, td, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]");
  return [...cells].map((cell) => (cell.textContent ?? "").trim());
}
