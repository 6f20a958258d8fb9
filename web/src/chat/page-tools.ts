import type { IBrowserTools } from "@hearth/oracles-client-sdk";
import { z } from "zod/mini";

/** The part of the router that the tools need. */
export type ConsolePages = {
  /** Paths below /console, such as `/regulator/vouchers`. */
  paths: () => string[];
  /** Path of the current page. */
  current: () => string;
  /** Resolves when the page is shown. */
  go: (path: string) => Promise<void>;
  /** True: the conversation is in the panel and stays when the page changes. */
  isBeside: boolean;
};

/** Time between the tool's answer and the change of page, so that the answer is sent first; in milliseconds. */
const beforeLeavingMs = 300;

/** The oracle's tools in this tab: list the pages, open one, and read the current one. */
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
      path: z.string().check(z.describe("Path as list_console_pages gives it, such as /regulator/vouchers.")),
    }),
    effect: "write" as const,
    fn: async ({ path }: { path: string }) => {
      if (!pages.paths().includes(path)) throw new Error(`There is no page ${path}. Ask list_console_pages.`);
      if (pages.isBeside) await pages.go(path);
      // Answer first: leaving this page ends the chat.
      else setTimeout(() => void pages.go(path), beforeLeavingMs);
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

/** Most rows that are read from a table. */
const mostRows = 100;

/** The visible tables as text; also those made of other elements with table roles. */
export function readTables(root: ParentNode): ReadTable[] {
  return [...root.querySelectorAll("table, [role=table], [role=grid]")].filter(isShown).map((table) => ({
    label: table.getAttribute("aria-label") ?? "",
    rows: [...table.querySelectorAll("tr, [role=row]")].slice(0, mostRows).map(readCells),
  }));
}

function isShown(element: Element): boolean {
  return element.closest("[hidden], [inert]") === null && element.checkVisibility?.() !== false;
}

/** How long to wait for a page that is still loading, in milliseconds. */
const shownMs = 5_000;
const lookMs = 100;

/** Wait until no part of the page is loading. */
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
