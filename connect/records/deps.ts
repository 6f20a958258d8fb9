import type { RoomHost } from "../room.ts";
import type { FormStore } from "./forms/store.ts";
import type { SubmissionStore } from "./store.ts";

/** What is needed to write records to Hearth. Rooms that receive records share it. */
export type RecordDeps = {
  host: RoomHost;
  forms: FormStore;
  submissions: SubmissionStore;
};
