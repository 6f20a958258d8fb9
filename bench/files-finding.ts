import type { FileContext } from "../api/files/deps.ts";
import { searchFiles } from "../api/files/search/search-files.ts";
import { listFiles } from "../api/files/tree/list-files.ts";
import { readTree } from "../api/files/tree/read-tree.ts";
import { createFile } from "../api/files/write/create-file.ts";
import { openTestFiles, streamOf, testContext } from "../test/support/files/files.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { seedFiles } from "../test/support/seed-files.ts";
import { type Figure, percentile, report } from "./figures.ts";

/*
 * How lists and search grow with a namespace: the same calls in namespaces of 10³ files and more, in one database. A page of a list
 * in the middle of the paths, the top folder's children, a word of many files and a word of one. BENCH_FILES names the sizes.
 */
const sizes = (process.env.BENCH_FILES ?? "1000,10000,100000,1000000").split(",").map(Number);
const calls = Number(process.env.BENCH_CALLS ?? 40);
const realFiles = 100;

/** At most a thousand folders, so that the root's children fit into one page. */
function pathOf(index: number, size: number): string {
  const folders = Math.min(400, Math.ceil(size / 10));
  return `/folder-${String(index % folders).padStart(4, "0")}/part-${Math.floor(index / folders) % 50}/file-${index}.txt`;
}

async function fill(ctx: FileContext, size: number): Promise<void> {
  for (let index = 0; index < Math.min(realFiles, size); index++) {
    const text = `Report ${index} of the cooking stove campaign${index === 0 ? " with a needle" : ""}.`;
    await createFile(ctx, { path: `/real/${index}.txt`, mimeType: "text/plain", content: streamOf(text) });
  }
  const begun = performance.now();
  await seedFiles(ctx.deps, {
    namespace: ctx.access.grant.owner,
    count: size - realFiles,
    path: (index) => pathOf(index, size),
    words: (index) => ["stove", "campaign", `w${index % 997}`, `v${index % 4999}`, `file${index}`],
    progress: (done) => process.stderr.write(`\r${done} of ${size} files`),
  });
  process.stderr.write(` in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
}

async function median(work: () => Promise<unknown>): Promise<number> {
  await work();
  const samples: number[] = [];
  for (let call = 0; call < calls; call++) {
    const begun = performance.now();
    await work();
    samples.push(performance.now() - begun);
  }
  return percentile(samples, 0.5);
}

const questions: [string, (ctx: FileContext, size: number) => Promise<unknown>][] = [
  ["page of 50 in the middle", (ctx, size) => listFiles(ctx, { cursor: middle(size) })],
  ["folder's own list of 50", (ctx) => listFiles(ctx, { path: "/folder-0007" })],
  ["tree of the top, 100 folders", (ctx) => readTree(ctx, { limit: 100 })],
  ["search, a word of every file", (ctx) => searchFiles(ctx, { q: "stove", limit: 20 })],
  ["search, a word of one file", (ctx) => searchFiles(ctx, { q: "needle" })],
];

function middle(size: number): string {
  return Buffer.from(JSON.stringify([pathOf(Math.floor(size / 2) % 400, size), ""])).toString("base64url");
}

async function measure(store: string, env: Record<string, string>): Promise<Figure[]> {
  const files = await openTestFiles(env);
  const figures: Figure[] = [];
  const first = new Map<string, number>();
  for (const size of sizes) {
    const ctx = testContext(files, `did:test:${size}`);
    await fill(ctx, size);
    for (const [name, ask] of questions) {
      const value = await median(() => ask(ctx, size));
      const base = first.get(name) ?? value;
      first.set(name, base);
      const reference = { name: `ms at ${sizes[0]}`, value: base };
      figures.push({ name: `${store}: ${name}, ${size} files`, value, unit: "ms", reference, ratio: value / base });
    }
  }
  await files.close();
  return figures;
}

/** Time lists and searches in growing namespaces, on each database that BENCH_STORE includes. */
export async function benchFinding(): Promise<Figure[]> {
  const figures = process.env.BENCH_STORE === "postgres" ? [] : await measure("PGlite", {});
  if (process.env.BENCH_STORE !== "pglite") {
    const postgres = await startPostgres();
    figures.push(...(await measure("PostgreSQL", { DATABASE_URL: await postgres.createDatabase() })));
    await postgres.stop();
  }
  return figures;
}

if (import.meta.main) await report("files-finding", await benchFinding());
