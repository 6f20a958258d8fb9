import type { RoomHost } from "../room.ts";
import type { CadTrustStore } from "./store.ts";

/** What this folder's services need. */
export type CadTrustDeps = {
  host: RoomHost;
  store: CadTrustStore;
  /** Work on open publications now. */
  nudge: () => void;
};
