// npm run backup: copy the whole system to a folder or a bucket while it runs.
import { Command } from "commander";
import { requireApart } from "./backup/place.ts";
import { Progress } from "./backup/progress.ts";
import { runOnPlace } from "./backup/run.ts";
import { takeBackup } from "./backup/take-backup.ts";

const command = new Command("npm run backup --")
  .description(
    "Copy the database, the files and the state of the embedded chain while the system runs. Uses the variables of the API.",
  )
  .addHelpText(
    "after",
    `
A backup has no secrets, only where each is kept and a fingerprint: copy DATA_DIR/keys or SECRETS_DIR separately.
manifest.json is written last: a backup without it is incomplete. To continue an interrupted backup, run it to the same place.
With DATABASE_URL it needs pg_dump on PATH, of the server's major version or newer.

Examples: npm run backup -- /mnt/backups/2026-11-26
          npm run backup -- "s3://backups/hearth/2026-11-26?endpoint=https://s3.example&region=eu-central-1"`,
  );

await runOnPlace(command, async ({ config, place, withDatabase }) => {
  requireApart(place.name, config.dataDir, config.files.blobs);
  const { blobs, secrets } = await takeBackup({ config, place, withDatabase, progress: new Progress() });
  console.log(`The backup in ${place.name} is complete: ${blobs.count} blobs, ${(blobs.bytes / 1e6).toFixed(1)} MB.`);
  console.log(`It has no secrets. Keep copies of: ${secrets.map((each) => each.place).join(", ")}.`);
});
