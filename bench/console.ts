import type { Page } from "playwright-core";
import { readOptions } from "../scripts/command-options.ts";
import { type ConsoleTest, openConsole, signIn } from "../test/browser/console.ts";
import { fillIndex } from "./console/fill.ts";
import { firstLoads, measureFirstLoad } from "./console/first-load.ts";
import { importThroughPage } from "./console/import.ts";
import { measureMemory, measureTable, middle, share, type TableRun, tables, worst } from "./console/tables.ts";
import { type Figure, percentile, report } from "./figures.ts";

const help = `npm run bench:console -- [--rows 100000] [--households 100000] [--only tables,load] [--tables "Vouchers,Blocks"] [--seconds 6] [--quick]
Measures the console in Chromium on a whole system with embedded databases, and compares it with the same pages with 1 000 rows.
Saves bench/results/console.json. Households are imported through the page, so they are on chain, in the API's database and in the
index. Certificates, vouchers, claims and ITMO blocks are inserted by SQL into the tables of the stopped index: the requests and
pages are real, but these rows are not on chain. First loads are measured with an empty cache, the processor slowed down
4 times, and slow 4G. --households 0 imports none and skips that table. About fifteen minutes; --quick has 10 000 rows, shorter scrolls and no wait until cached pages expire.`;

const few = 1_000;
const values = readOptions(help, {
  rows: { type: "string" },
  households: { type: "string" },
  only: { type: "string", default: "tables,load" },
  tables: { type: "string", default: tables.map(({ label }) => label).join(",") },
  seconds: { type: "string" },
  quick: { type: "boolean", default: false },
});
const rows = Number(values.rows ?? (values.quick ? 10_000 : 100_000));
const households = Number(values.households ?? rows);
const chosen = tables.filter(
  ({ label, isRandom }) => values.tables.split(",").includes(label) && (isRandom || households > 0),
);
const milliseconds = Number(values.seconds ?? (values.quick ? 3 : 6)) * 1_000;
const named = new Intl.NumberFormat("en-GB");

async function fill({ stack }: ConsoleTest, from: number, to: number): Promise<void> {
  await stack.stop();
  await fillIndex(stack.dataDir, from, to);
  await stack.start();
}

async function signedIn({ open }: ConsoleTest, key: string): Promise<Page> {
  const page = await open();
  await signIn(page, key);
  return page;
}

async function measureTables(page: Page, url: string): Promise<TableRun[]> {
  const runs: TableRun[] = [];
  for (const table of chosen) runs.push(await measureTable(page, url, table, milliseconds));
  return runs;
}

/** Compare a figure with that of a short table. `atMost`: the largest ratio that still counts as equal. */
function compare(name: string, unit: string, [many, reference]: [number, number], atMost?: number): Figure {
  const figure: Figure = { name, value: many, unit };
  if (reference <= 0) return figure;
  const compared = { ...figure, reference: { name: `over ${named.format(few)} rows`, value: reference } };
  const ratio = many / reference;
  return atMost === undefined
    ? { ...compared, ratio }
    : { ...compared, ratio, aim: `≤ ${atMost}×`, met: ratio <= atMost };
}

function figuresOf(label: string, many: TableRun, reference: TableRun): Figure[] {
  const both = (of: (run: TableRun) => number): [number, number] => [of(many), of(reference)];
  const name = `${label}, ${named.format(rows)} rows:`;
  const figures = [
    compare(
      `${name} frames at rest, p95`,
      "ms",
      both((run) => percentile(run.idle, 0.95)),
    ),
    compare(
      `${name} frames while scrolling, p50`,
      "ms",
      both(({ scrolled }) => middle(scrolled.frames)),
      1.5,
    ),
    compare(
      `${name} frames while scrolling, p95`,
      "ms",
      both(({ scrolled }) => percentile(scrolled.frames, 0.95)),
      1.5,
    ),
    compare(
      `${name} longest frame`,
      "ms",
      both(({ scrolled }) => worst(scrolled.frames)),
    ),
    compare(
      `${name} frames over 50 ms`,
      "%",
      both(({ scrolled }) => share(scrolled.frames, (each) => each > 50) * 100),
    ),
    compare(
      `${name} tasks over 50 ms`,
      "tasks",
      both(({ scrolled }) => scrolled.longTasks.length),
    ),
    compare(
      `${name} processor for a row scrolled past`,
      "ms",
      both((run) => run.spentPerRow),
      1.5,
    ),
    compare(
      `${name} frames with a bare part`,
      "%",
      both(({ scrolled }) => scrolled.bare * 100),
    ),
    compare(
      `${name} frames with a row waited for`,
      "%",
      both(({ scrolled }) => scrolled.waiting * 100),
    ),
    compare(
      `${name} requests for 100 rows`,
      "requests",
      both((run) => run.requestsPerPage),
    ),
    compare(
      `${name} slowest press or key until it shows`,
      "ms",
      both((run) => worst(run.interactions)),
    ),
    compare(
      `${name} DOM nodes`,
      "nodes",
      both((run) => run.nodes),
      1.5,
    ),
    compare(
      `${name} rows in the page`,
      "rows",
      both((run) => run.rowsInPage),
    ),
  ];
  if (many.jumps.length > 0) {
    figures.push(
      compare(
        `${name} jump to anywhere until all shows, p50`,
        "ms",
        both((run) => middle(run.jumps)),
      ),
    );
    figures.push(
      compare(
        `${name} … the slowest`,
        "ms",
        both((run) => worst(run.jumps)),
      ),
    );
  }
  return figures;
}

async function memoryFigures(page: Page, url: string): Promise<Figure[]> {
  const [vouchers] = tables;
  if (values.quick || vouchers === undefined) return [];
  const { before, after, later, rows: passed } = await measureMemory(page, url, vouchers, 30_000);
  const name = `heap after ${named.format(Math.round(passed))} rows scrolled past`;
  const compare = (what: string, value: number): Figure => ({
    name: what,
    value,
    unit: "MiB",
    reference: { name: "before", value: before.heapMiB },
    ratio: value / before.heapMiB,
  });
  return [compare(name, after.heapMiB), compare("… and a minute later", later.heapMiB)];
}

async function benchTables(test: ConsoleTest, figures: Figure[]): Promise<void> {
  const { stack } = test;
  const key = await implementerKey(stack);
  const importer = await signedIn(test, key);
  if (households > 0) await importThroughPage(importer, stack.url, "few", few);
  await fill(test, 0, few);
  const page = await signedIn(test, key);
  const reference = await measureTables(page, stack.url);
  if (households > 0) figures.push(...(await importThroughPage(importer, stack.url, "many", households)));
  await fill(test, few, rows);
  const many = await measureTables(page, stack.url);
  chosen.forEach(({ label }, index) => {
    figures.push(...figuresOf(label, many[index] as TableRun, reference[index] as TableRun));
  });
  figures.push(...(await memoryFigures(page, stack.url)));
}

/** The key of someone who imports and reads households. An admin's key would be lost when the next page is opened. */
async function implementerKey(stack: ConsoleTest["stack"]): Promise<string> {
  const account = `0x${"be".repeat(20)}`;
  const implementer = { did: "did:bench:importer", name: "Field team", account };
  const registered = await stack.call("POST", "/v1/implementers", implementer);
  if (registered.status !== 201) throw new Error(`No implementer was registered: ${JSON.stringify(registered.body)}`);
  const body = { name: "bench", role: "implementer", implementerDid: implementer.did };
  const made = await stack.call("POST", "/v1/keys", body);
  if (made.status !== 201) throw new Error(`The key was refused: ${JSON.stringify(made.body)}`);
  return String(made.body.key);
}

async function regulatorKey(stack: ConsoleTest["stack"]): Promise<string> {
  const { status, body } = await stack.call("POST", "/v1/keys", { name: "bench", role: "regulator" });
  if (status !== 201) throw new Error(`The key was refused: ${JSON.stringify(body)}`);
  return String(body.key);
}

async function benchLoads({ stack, open }: ConsoleTest): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const load of firstLoads) {
    const page = await open("", { size: load.size });
    // An admin's key would be lost when the page is loaded again.
    if (load.isRegulator) await signIn(page, await regulatorKey(stack));
    figures.push(...(await measureFirstLoad(page, stack.url, load)));
    await page.context().close();
  }
  return figures;
}

const only = values.only.split(",");
const test = await openConsole();
const figures: Figure[] = [];
try {
  if (only.includes("load")) figures.push(...(await benchLoads(test)));
  if (only.includes("tables")) await benchTables(test, figures);
} finally {
  if (figures.length > 0) await report("console", figures);
  await test.close();
}
