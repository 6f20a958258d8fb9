import type { SecretBox } from "../../api/platform/secret-box.ts";
import type { RoomHost } from "../room.ts";
import type { AccountStore } from "./accounts/store.ts";
import type { AttemptStore } from "./attempts/store.ts";
import type { OrderStore } from "./orders/store.ts";
import type { PartnerApis } from "./partners/partner-apis.ts";
import type { PartnerStore } from "./partners/store.ts";
import type { RateStore } from "./rates/store.ts";

/** What this folder's services need. */
export type PayoutDeps = {
  host: RoomHost;
  /** Seals mobile accounts and the partners' secrets. */
  box: SecretBox;
  partners: PartnerStore;
  rates: RateStore;
  accounts: AccountStore;
  orders: OrderStore;
  attempts: AttemptStore;
  apis: PartnerApis;
  /** Let the background work run now: something is due. */
  nudge: () => void;
};
