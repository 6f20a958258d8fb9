import type { Page } from "playwright-core";
import { percentile } from "../figures.ts";
import { heardOf, listen, openMetrics } from "./page-metrics.ts";
import { idle, jump, type Scrolled, scroll } from "./scroll.ts";

export type Table = {
  path: string;
  label: string;
  /** Header to sort by; a table without one has no filters and no rows that open. */
  sortBy?: string;
  /** Whether the table can jump to any position; otherwise the list is read from its start. */
  isRandom: boolean;
};

export const tables: Table[] = [
  { path: "regulator/vouchers", label: "Vouchers", sortBy: "Value", isRandom: true },
  { path: "regulator/claims", label: "Delivery claims", sortBy: "Amount", isRandom: true },
  { path: "regulator/certificates", label: "Certificates", sortBy: "Vintage", isRandom: true },
  { path: "regulator/itmos", label: "Blocks", sortBy: "Tonnes", isRandom: true },
  { path: "implementer/households", label: "Registered households", isRandom: false },
];

export type TableRun = {
  /** Milliseconds between frames on the idle page, and while the table scrolls. */
  idle: number[];
  scrolled: Scrolled;
  /** Processor milliseconds of the main thread per row scrolled past. */
  spentPerRow: number;
  requestsPerPage: number;
  /** Milliseconds until all visible rows were loaded. */
  jumps: number[];
  /** Milliseconds from a press or key until the page showed its effect. */
  interactions: number[];
  nodes: number;
  rowsInPage: number;
};

const shares = [0.5, 1, 0.25, 0.9, 0.6, 0.1];
const pixelsPerSecond = 3_000;
const [rowHeight, pageSize] = [44, 100];

/** Open a table and wait for its first rows. */
export async function openTable(page: Page, url: string, { path, label }: Table): Promise<void> {
  await page.goto(`${url}/console/${path}`);
  const rows = page.getByRole("region", { name: label }).locator('[role="row"][aria-rowindex="3"]');
  await rows.locator('[role="cell"], [role="gridcell"]').first().filter({ hasText: /\S/ }).waitFor();
}

export async function measureTable(page: Page, url: string, table: Table, milliseconds: number): Promise<TableRun> {
  await openTable(page, url, table);
  let requests = 0;
  const count = () => {
    requests += 1;
  };
  const still = await idle(page, 1_000);
  const metrics = await openMetrics(page);
  page.on("request", count);
  const before = await metrics.spent();
  const scrolled = await scroll(page, { label: table.label, milliseconds, pixelsPerSecond });
  const after = await metrics.spent();
  page.off("request", count);
  const rows = scrolled.pixels / rowHeight;
  const jumps: number[] = [];
  if (table.isRandom) for (const share of shares) jumps.push(await jump(page, table.label, share));
  const { nodes } = await metrics.kept();
  const rowsInPage = await page.getByRole("region", { name: table.label }).getByRole("row").count();
  // The last of these opens another page.
  const interactions = await interact(page, table);
  return {
    idle: still,
    scrolled,
    spentPerRow: (after.all - before.all) / rows,
    requestsPerPage: requests / (rows / pageSize),
    jumps,
    interactions,
    nodes,
    rowsInPage,
  };
}

/** Sort, filter, move through rows by keys, open one, as far as the table supports it. */
async function interact(page: Page, { label, sortBy }: Table): Promise<number[]> {
  await listen(page);
  const frame = page.getByRole("region", { name: label });
  if (sortBy === undefined) {
    await frame.focus();
    for (const key of ["PageDown", "PageDown", "PageUp", "Home"]) await page.keyboard.press(key, { delay: 30 });
    return (await heardOf(page)).interactions;
  }
  await page.getByRole("button", { name: sortBy }).click();
  await frame.getByRole("columnheader").and(page.locator("[aria-sort]")).filter({ hasText: sortBy }).waitFor();
  await jump(page, label, 0);
  await frame.locator('[role="row"][aria-rowindex="2"]').focus();
  for (const key of ["ArrowDown", "PageDown", "ArrowUp", "End", "PageUp", "Home"]) {
    await page.keyboard.press(key, { delay: 30 });
    await page.waitForTimeout(60);
  }
  await page.getByLabel("Id contains").pressSequentially("0", { delay: 60 });
  await page.waitForTimeout(400);
  await jump(page, label, 0);
  await frame.locator('[role="row"][aria-rowindex="3"] [role="gridcell"]').nth(1).click();
  await page.waitForURL("**/regulator/trace/**");
  return (await heardOf(page)).interactions;
}

/** Memory of the page after five minutes of a user's scrolling, and after the cached pages have expired. */
export async function measureMemory(page: Page, url: string, table: Table, milliseconds: number) {
  await openTable(page, url, table);
  const metrics = await openMetrics(page);
  await scroll(page, { label: table.label, milliseconds: 1_000, pixelsPerSecond });
  const before = await metrics.kept();
  const { pixels } = await scroll(page, { label: table.label, milliseconds, pixelsPerSecond: 30_000 });
  const after = await metrics.kept();
  await page.waitForTimeout(65_000);
  return { before, after, later: await metrics.kept(), rows: pixels / rowHeight };
}

export const share = (samples: readonly number[], isMeant: (sample: number) => boolean): number =>
  samples.length === 0 ? 0 : samples.filter(isMeant).length / samples.length;
export const worst = (samples: readonly number[]): number => Math.max(0, ...samples);
export const middle = (samples: readonly number[]): number => percentile(samples, 0.5);
