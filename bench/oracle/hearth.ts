import { createAgent } from "../../api/oracle/agent/agent.ts";
import { capabilityTools } from "../../api/oracle/agent/capabilities.ts";
import { loadPlugins } from "../../api/oracle/plugins/host/load-plugins.ts";
import { createLog } from "../../api/platform/log.ts";
import { openTestOracle } from "../../test/support/oracle/oracle.ts";
import { tellUsage } from "./measured.ts";

// The real oracle: agent loop, durable runs, database.
const log = createLog({ logLevel: "silent" });
const plugins = await loadPlugins({
  plugins: [],
  features: {},
  env: {},
  services: {},
  ownTools: capabilityTools,
  say: () => {},
  log,
});
const endpoint = { baseUrl: process.argv[2] ?? "", apiKey: undefined, models: ["bench"] };
const agent = createAgent({ plugins, oracleName: "Bench", endpoint, log });
const database = process.env.BENCH_DATABASE_URL;
const oracle = await openTestOracle(agent, database === undefined ? {} : { DATABASE_URL: database });
tellUsage();
process.send?.({ url: oracle.url, did: oracle.did });
process.on("message", (asked) => {
  if (asked === "stop") void oracle.close().then(() => process.exit(0));
});
