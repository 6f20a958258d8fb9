import { readOptions } from "../scripts/command-options.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { benchDataRoom } from "./data-room.ts";
import { type Figure, report } from "./figures.ts";
import { benchImports } from "./imports.ts";
import { benchLists } from "./lists.ts";
import { type BenchStack, startBenchStack } from "./stack.ts";

const help = `npm run bench:campaigns -- [--only imports,room,lists] [--rows 100000] [--claims 10000] [--photos 2000] [--postgres]
Measures imports of households and devices, and for a campaign with photos (--photos: MB in all) its close, data room, monitoring
report and \`npm run repeat\`; then pages of long lists. Memory is that of the API's process (/proc: Linux). The system runs as
npm start runs it, on the embedded database, or on a separate PostgreSQL (--postgres; the lists always). Saves
bench/results/campaigns.json.`;

const values = readOptions(help, {
  only: { type: "string", default: "imports,room,lists" },
  rows: { type: "string", default: "100000" },
  claims: { type: "string", default: "10000" },
  photos: { type: "string", default: "2000" },
  postgres: { type: "boolean", default: false },
});

async function withStack(
  work: (stack: BenchStack, databaseUrl: string) => Promise<Figure[]>,
  onPostgres = values.postgres,
): Promise<Figure[]> {
  const postgres = onPostgres ? await startPostgres({ durable: true }) : undefined;
  try {
    const databaseUrl = (await postgres?.createDatabase()) ?? "";
    const stack = await startBenchStack(onPostgres ? { DATABASE_URL: databaseUrl } : {});
    try {
      return await work(stack, databaseUrl);
    } finally {
      await stack.stop();
    }
  } finally {
    await postgres?.stop();
  }
}

const wanted = new Set(values.only.split(","));
const rows = Number(values.rows);
const figures: Figure[] = [];
if (wanted.has("imports")) figures.push(...(await withStack((stack) => benchImports(stack, rows, values.postgres))));
if (wanted.has("room")) {
  figures.push(...(await withStack((stack) => benchDataRoom(stack, Number(values.claims), Number(values.photos)))));
}
if (wanted.has("lists")) figures.push(...(await withStack((stack, url) => benchLists(stack, url, rows), true)));
await report("campaigns", figures);
