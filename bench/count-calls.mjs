// Preloaded into every process of a system (NODE_OPTIONS=--import=…): counts JSON-RPC calls to the chain and messages to PGlite.
// Counting starts with the first SIGUSR2; each later one writes the counts to $COUNT_CALLS/<pid>.json.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const counts = { rpc: 0, sql: 0 };
const chainPort = process.env.CHAIN_PORT;
let isCounting = false;

async function begin() {
  // Requests by fetch, and by node:http.
  subscribe("undici:request:create", ({ request }) => {
    if (new URL(request.origin).port === chainPort) counts.rpc += 1;
  });
  subscribe("http.client.request.start", ({ request }) => {
    if (request.getHeader("host")?.endsWith(`:${chainPort}`)) counts.rpc += 1;
  });
  // The process that starts the others has no database, and must not load one.
  if (process.argv[1]?.includes("dev-stack")) return;
  const { PGlite } = await import("@electric-sql/pglite");
  for (const name of ["execProtocolRaw", "execProtocolRawStream"]) countCalls(PGlite.prototype, name);
}

function countCalls(prototype, name) {
  const original = prototype[name];
  if (original === undefined) return;
  prototype[name] = function (...args) {
    counts.sql += 1;
    return original.apply(this, args);
  };
}

process.on("SIGUSR2", () => {
  if (isCounting) return writeFileSync(join(process.env.COUNT_CALLS, `${process.pid}.json`), JSON.stringify(counts));
  isCounting = true;
  void begin();
});
