import { join } from "node:path";
import { createEmbedded } from "../../api/platform/db/create-embedded.ts";

/** Put an empty, migrated database into a new DATA_DIR: a copy of the one that the checkout keeps. */
export const placeDatabase = (dataDir: string): Promise<void> => createEmbedded(join(dataDir, "api-db"));
