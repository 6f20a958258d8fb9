import type { SecretBox } from "../../api/platform/secret-box.ts";
import type { RoomHost } from "../room.ts";
import type { SmppLink } from "./smpp/link.ts";
import type { PhoneStore } from "./store.ts";

/** What this folder's services need. */
export type PhoneDeps = {
  host: RoomHost;
  store: PhoneStore;
  /** Seals phone numbers, households and messages. */
  box: SecretBox;
  /** Connections of this process to SMSCs, by gateway. */
  links: Map<string, SmppLink>;
  /** Let background work look now: there is something for it. */
  wake: { outbox: () => void; payments: () => void; links: () => void };
};
