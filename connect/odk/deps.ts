import type { RecordDeps } from "../records/deps.ts";
import type { CollectorStore } from "./collectors/store.ts";
import type { Nonces } from "./digest/nonces.ts";

/** What this folder's services need. */
export type OdkDeps = RecordDeps & { collectors: CollectorStore; nonces: Nonces };
