import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import type { Webhooks } from "./webhooks.ts";

/** Dependencies of this folder's services. */
export type WebhookDeps = {
  chain: Chain;
  clock: Clock;
  db: Database;
  webhooks: Webhooks;
};
