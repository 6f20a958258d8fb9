import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { HearthClient } from "../../../wire/src/index.ts";
import type { CadTrustServer } from "../node/server.ts";
import type { Target } from "../plan/make-plan.ts";
import type { Profile } from "../settings/schemas.ts";
import type { CadTrustStore } from "../store.ts";
import type { RunRow } from "../tables.ts";

/** What one attempt to carry out a publication works with. */
export type Attempt = {
  run: RunRow;
  store: CadTrustStore;
  server: { url: string; requests: CadTrustServer };
  client: HearthClient;
  profile: Profile;
  linkOf: (blockId: string) => string;
  now: () => Date;
  /** Records that this publication created, edited and removed. */
  counts: Pick<RunRow, "created" | "edited" | "removed">;
  /** What an attempt just before worked out, so that the index is not read again while the server commits. */
  memory: { target?: Target };
  /** Keep the publication for this process. @throws LostRunError when another process has it */
  keep: () => Promise<void>;
};

/** How an attempt ended. `waiting` is tried again after the pause. */
export type Outcome =
  | { status: "published"; message: null; problems: [] }
  | { status: "failed"; message: string; problems: RuleDetail[] }
  | { status: "waiting"; message: string; pauseMs: number };
