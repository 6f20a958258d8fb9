import { join } from "node:path";
import { loadOrCreateSecret } from "../../api/platform/secrets.ts";

/** The first admin key, kept so that `npm run demo` and the next start know it. */
export const adminKeyFile = (dataDir: string) => join(dataDir, "keys", "admin.key");
export const loadAdminKey = (dataDir: string) => loadOrCreateSecret(dataDir, "admin");
