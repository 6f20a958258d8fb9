import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Notifications } from "./notifications.ts";

/** Dependencies of this folder's services. */
export type NotificationDeps = {
  chain: Chain;
  clock: Clock;
  notifications: Notifications;
};
