import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import { EventFollower, type Events } from "../events/index.ts";
import type { Log } from "../log.ts";
import type { OutboundRules } from "../outbound/index.ts";
import { sealedColumns } from "../sealed-columns.ts";
import { createSecretBox, type SealingKeys } from "../secret-box.ts";
import type { Workers } from "../workers/index.ts";
import { AddedNotices, type AddedSource } from "./added-notices.ts";
import { openMailer } from "./mail.ts";
import { deriveVapidKey, openPusher } from "./push.ts";
import { NoticeSender } from "./sender.ts";
import { openNotificationStore } from "./store.ts";
import { notificationSubscriptions } from "./tables.ts";
import { createTokens } from "./tokens.ts";
import { changesBy } from "./topics.ts";

export const sealedNotificationColumns = sealedColumns(notificationSubscriptions, "notification", ["sealedAddress"]);

export type NotificationSource = {
  db: Database;
  chain: Chain;
  events: Events;
  clock: Clock;
  log: Log;
  workers: Workers;
  outbound: OutboundRules;
  sealingKeys: SealingKeys;
  config: Pick<PlatformConfig, "publicUrl" | "mail">;
  /** False for a revoked or expired key. */
  isKeyValid: (keyId: string) => Promise<boolean>;
  sources: readonly AddedSource[];
};

/** Open notifications by e-mail and web push: their store, what collects notices, and the sender. */
export function openNotifications(source: NotificationSource) {
  const { db, chain, events, clock, log, workers, outbound, sealingKeys, config, isKeyValid, sources } = source;
  const { publicUrl, mail } = config;
  const store = openNotificationStore(db);
  const box = createSecretBox(sealingKeys, "notification");
  const tokens = createTokens(box);
  const mailer = mail === undefined ? undefined : openMailer(mail);
  // Push services accept https: and mailto: URLs only.
  const operator = mail === undefined ? publicUrl.replace(/^http:/, "https:") : `mailto:${addressIn(mail.from)}`;
  const pusher = openPusher(deriveVapidKey(sealingKeys.scheme), operator, outbound);
  // Browsers and mail servers log no part of a URL after #.
  const linksOf = (id: string) => ({
    console: `${publicUrl}/console/`,
    confirm: `${publicUrl}/console/notifications#confirm=${tokens.create(id, "confirm")}`,
    end: `${publicUrl}/console/notifications#end=${tokens.create(id, "end")}`,
    endAtOnce: `${publicUrl}/v1/notifications/end/${tokens.create(id, "end")}`,
  });
  const sender = new NoticeSender({ store, box, clock, log, workers, mailer, pusher, isKeyValid, linksOf });
  const onFound = () => sender.wake();
  const follower = new EventFollower({
    name: "notification-events",
    chain,
    hub: events.hub,
    clock,
    workers,
    isKeyValid,
    active: store.active,
    take: (row, message, now) =>
      changesBy(message, row.role, row.topics, now).map((change) => ({ subscriptionId: row.id, change })),
    save: store.save,
    onFound,
  });
  const added = new AddedNotices({ store, clock, workers, sources, onFound });
  sender.start();
  const close = async () => {
    await follower.close();
    await added.close();
    await sender.close();
  };
  return { store, box, tokens, mailer, pusher, sender, follower, outbound, close };
}
export type Notifications = ReturnType<typeof openNotifications>;

/** `maria@example.org` of `Maria <maria@example.org>`. */
function addressIn(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}
