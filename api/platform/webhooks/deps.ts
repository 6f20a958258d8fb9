import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Webhooks } from "./webhooks.ts";

/** What the services of this folder work with. */
export type WebhookDeps = {
  chain: Chain;
  clock: Clock;
  webhooks: Webhooks;
};
