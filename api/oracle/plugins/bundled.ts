import { agui } from "./agui/plugin.ts";
import { calls } from "./calls/plugin.ts";
import { claims } from "./claims/plugin.ts";
import { files } from "./files/plugin.ts";
import type { OraclePlugin } from "./host/plugin.ts";
import type { Services } from "./host/services.ts";
import { indexer } from "./indexer/plugin.ts";
import { itmo } from "./itmo/plugin.ts";
import { kpt } from "./kpt/plugin.ts";
import { mcp } from "./mcp/plugin.ts";
import { memory } from "./memory/plugin.ts";
import { pool } from "./pool/plugin.ts";
import { portal } from "./portal/plugin.ts";
import { tasks } from "./tasks/plugin.ts";
import { userPreferences } from "./user-preferences/plugin.ts";
import { vouchers } from "./vouchers/plugin.ts";
import { weather } from "./weather/plugin.ts";

/** The plugins that come with the runtime. */
export const bundledPlugins: OraclePlugin<Services>[] = [
  userPreferences,
  memory,
  files,
  indexer,
  weather,
  vouchers,
  claims,
  kpt,
  pool,
  itmo,
  agui,
  portal,
  tasks,
  mcp,
  calls,
];
