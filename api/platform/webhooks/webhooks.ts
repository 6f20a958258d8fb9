import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import { EventFollower, type Events } from "../events/index.ts";
import type { Keys } from "../keys/index.ts";
import type { Log } from "../log.ts";
import type { OutboundRules } from "../outbound/index.ts";
import { sealedColumns } from "../sealed-columns.ts";
import { createSecretBox, type SealingKeys } from "../secret-box.ts";
import type { Workers } from "../workers/index.ts";
import { deliveriesOf } from "./delivery.ts";
import { DeliverySender } from "./sender.ts";
import { openWebhookStore } from "./store.ts";
import { webhooks } from "./tables.ts";

export const sealedWebhookColumns = sealedColumns(webhooks, "webhook", ["sealedSecret"]);

export type WebhookSource = {
  db: Database;
  chain: Chain;
  events: Events;
  keys: Keys;
  clock: Clock;
  log: Log;
  outbound: OutboundRules;
  sealingKeys: SealingKeys;
  workers: Workers;
};

/** Open webhooks: their store, the follower of deliveries and the sender. */
export function openWebhooks({ db, chain, events, keys, clock, log, outbound, sealingKeys, workers }: WebhookSource) {
  const store = openWebhookStore(db);
  const box = createSecretBox(sealingKeys, "webhook");
  const isKeyValid = async (keyId: string) => {
    const key = await keys.store.find(keyId);
    // Keys of the configuration have no record; they are valid while they are configured.
    return !key || (key.revokedAt === null && (key.expiresAt === null || key.expiresAt > clock.now()));
  };
  const sender = new DeliverySender({ store, box, clock, log, outbound, isKeyValid, workers });
  const follower = new EventFollower({
    name: "webhook-events",
    chain,
    hub: events.hub,
    clock,
    workers,
    isKeyValid,
    active: store.active,
    take: deliveriesOf,
    save: store.saveDeliveries,
    onFound: () => sender.wake(),
  });
  sender.start();
  const close = async () => {
    await follower.close();
    await sender.close();
  };
  return { store, box, sender, follower, outbound, isKeyValid, close };
}
export type Webhooks = ReturnType<typeof openWebhooks>;
