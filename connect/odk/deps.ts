import type { RoomHost } from "../room.ts";
import type { CollectorStore } from "./collectors/store.ts";
import type { FormStore } from "./forms/store.ts";
import type { SubmissionStore } from "./submissions/store.ts";

/** What this folder's services need. */
export type OdkDeps = {
  host: RoomHost;
  collectors: CollectorStore;
  forms: FormStore;
  submissions: SubmissionStore;
};
