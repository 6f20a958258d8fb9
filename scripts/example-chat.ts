import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "tsdown";
import config from "../sdk/tsdown.config.ts";

const example = resolve("sdk/examples/chat");
const systemUrl = `http://localhost:${process.env.PORT || 3000}`;
const usage = `npm run example:chat [-- --port 5173 --oracle http://localhost:3000]
Build the SDK and serve its example app, which talks to the oracle of a running npm start.

--port PORT   where the app is served; 5173 when absent
--oracle URL  the oracle's address (VITE_ORACLE_URL, else http://localhost:PORT, with PORT 3000 when absent)
--help`;

class UsageError extends Error {}

type Wish = { port: number; oracle: string };

/** @throws UsageError when the command is not understood; undefined: its help is asked for */
function readWish(): Wish | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "5173" },
      oracle: { type: "string", default: process.env.VITE_ORACLE_URL ?? systemUrl },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new UsageError(`${values.port} is not a port.`);
  if (!/^https?:$/.test(URL.parse(values.oracle)?.protocol ?? ""))
    throw new UsageError(`${values.oracle} is not an address of an oracle.`);
  return { port, oracle: values.oracle.replace(/\/+$/, "") };
}

async function serve({ port, oracle }: Wish): Promise<void> {
  await build({ ...config, config: false, cwd: "sdk", logLevel: "warn" });
  process.env.VITE_ORACLE_URL = oracle;
  // The Vite that the example itself has.
  const vite = createRequire(join(example, "package.json")).resolve("vite");
  const { createServer } = (await import(pathToFileURL(vite).href)) as typeof import("vite");
  const server = await createServer({ root: example, server: { port, strictPort: true }, logLevel: "warn" });
  await server.listen();
  console.log(`The example app: ${server.resolvedUrls?.local[0]}`);
  console.log(`It talks to the oracle at ${oracle}${(await answers(oracle)) ? "" : ", where nothing answers yet"}.`);
  console.log("Ctrl-C stops it.");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}

const answers = (oracle: string): Promise<boolean> =>
  fetch(`${oracle}/health`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

async function main(): Promise<void> {
  const wish = readWish();
  if (wish === undefined) console.log(usage);
  else await serve(wish);
}

await main().catch((error: Error & { code?: string }) => {
  if (error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS")) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  } else if (/already in use/.test(error.message)) {
    console.error(`${error.message}. Choose another one with --port.`);
    process.exitCode = 1;
  } else throw error;
});
