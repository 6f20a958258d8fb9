import type { RecordDeps } from "../records/deps.ts";
import type { KoboStore } from "./store.ts";

/** What this folder's services need. */
export type KoboDeps = RecordDeps & {
  store: KoboStore;
  /** Handle due bells soon. */
  wake: () => void;
};
