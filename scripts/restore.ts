// npm run restore: restore a backup into an empty system.
import { Command } from "commander";
import { Progress } from "./backup/progress.ts";
import { restoreBackup } from "./backup/restore-backup.ts";
import { runOnPlace } from "./backup/run.ts";

const command = new Command("npm run restore --")
  .description("Restore a complete backup into an empty, stopped system. Uses the variables of the API.")
  .addHelpText(
    "after",
    `
First provide the secrets: as variables, in SECRETS_DIR, or in DATA_DIR/keys. A restore refuses a backup that is incomplete,
damaged or of a newer version, other secrets, and a target that is not empty. An interrupted one continues when it is run again.
With DATABASE_URL it needs pg_restore on PATH.

Then check it, and start: npm run fsck -- --scrub; npm start

Example: DATA_DIR=/srv/hearth npm run restore -- /mnt/backups/2026-11-26`,
  );

await runOnPlace(command, async ({ config, place, withDatabase }) => {
  const { startedAt } = await restoreBackup({ config, place, withDatabase, progress: new Progress() });
  console.log(`The backup of ${startedAt} is restored. Run npm run fsck -- --scrub before you start the system.`);
});
