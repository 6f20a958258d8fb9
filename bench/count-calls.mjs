// Preloaded into every process of a system (NODE_OPTIONS=--import=…): counts JSON-RPC calls to the chain and messages to PGlite.
// SIGUSR2 writes the counts so far to $COUNT_CALLS/<pid>.json.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

const counts = { rpc: 0, sql: 0 };
const chainPort = process.env.CHAIN_PORT;

// fetch, and node:http.
subscribe("undici:request:create", ({ request }) => {
  if (new URL(request.origin).port === chainPort) counts.rpc += 1;
});
subscribe("http.client.request.start", ({ request }) => {
  if (request.getHeader("host")?.endsWith(`:${chainPort}`)) counts.rpc += 1;
});

registerHooks({
  load(url, context, next) {
    if (url.endsWith("@electric-sql/pglite/dist/index.js")) {
      setImmediate(async () => {
        const { PGlite } = await import(url);
        for (const name of ["execProtocolRaw", "execProtocolRawStream"]) countCalls(PGlite.prototype, name);
      });
    }
    return next(url, context);
  },
});

function countCalls(prototype, name) {
  const original = prototype[name];
  if (original === undefined) return;
  prototype[name] = function (...args) {
    counts.sql += 1;
    return original.apply(this, args);
  };
}

process.on("SIGUSR2", () =>
  writeFileSync(join(process.env.COUNT_CALLS, `${process.pid}.json`), JSON.stringify(counts)),
);
