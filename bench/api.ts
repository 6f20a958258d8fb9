import { readOptions } from "../scripts/command-options.ts";
import { benchCredentials } from "./credentials.ts";
import { type Figure, report } from "./figures.ts";
import { benchIndexer } from "./indexer.ts";
import { benchKptClaims } from "./kpt-claims.ts";
import { benchKptResult } from "./kpt-result.ts";
import { benchRedemptions } from "./redemptions.ts";
import { startBenchStack } from "./stack.ts";

const help = `npm run bench:api -- [--only redemptions,credentials,indexer,kpt,kpt-result] [--seconds 10] [--events 100000]
[--claims 10000] [--households 100000]
Measures the API and compares it with references of the same run. Saves bench/results/api.json, kpt.json and kpt-result.json.`;

const values = readOptions(help, {
  only: { type: "string", default: "redemptions,credentials,indexer,kpt,kpt-result" },
  seconds: { type: "string", default: "10" },
  events: { type: "string", default: "100000" },
  claims: { type: "string", default: "10000" },
  households: { type: "string", default: "100000" },
});

const wanted = new Set(values.only.split(","));
const figures: Figure[] = [];
if (wanted.has("credentials")) figures.push(...(await benchCredentials(Number(values.seconds))));
if (wanted.has("redemptions")) {
  const stack = await startBenchStack();
  try {
    figures.push(...(await benchRedemptions(stack, Number(values.seconds))));
  } finally {
    await stack.stop();
  }
}
if (wanted.has("indexer")) figures.push(...(await benchIndexer(Number(values.events))));
if (figures.length > 0) await report("api", figures);
if (wanted.has("kpt")) {
  const stack = await startBenchStack();
  try {
    await report("kpt", await benchKptClaims(stack, Number(values.claims), Number(values.seconds)));
  } finally {
    await stack.stop();
  }
}
if (wanted.has("kpt-result")) await report("kpt-result", benchKptResult(Number(values.households)));
