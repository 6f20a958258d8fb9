import type { Command } from "commander";
import { type Config, readConfig } from "../../api/config.ts";
import { ConfigError } from "../../api/platform/config-error.ts";
import { exitOnUsage } from "../command-options.ts";
import { BackupError, type BackupPlace, openPlace } from "./place.ts";

type Work = (work: { config: Config; place: BackupPlace; withDatabase: boolean }) => Promise<void>;

/** Run `npm run backup` or `npm run restore`: one place, and the variables of the system. Ends the process with 1 on a refusal. */
export async function runOnPlace(command: Command, work: Work): Promise<void> {
  await command
    .argument("<place>", "a folder, or s3://bucket/prefix?endpoint=…&region=…&pathStyle=1")
    .option("--without-database", "leave PostgreSQL to its own tools")
    .exitOverride(exitOnUsage)
    .action(async (name: string, options: { withoutDatabase?: boolean }) => {
      try {
        const config = readConfig(process.env);
        if (options.withoutDatabase && config.databaseUrl === undefined)
          throw new BackupError("--without-database is for a system with DATABASE_URL.");
        const place = await openPlace(name);
        await work({ config, place, withDatabase: options.withoutDatabase !== true }).finally(() => place.close());
      } catch (error) {
        const isKnown = error instanceof BackupError || error instanceof ConfigError;
        console.error(isKnown ? error.message : error);
        process.exitCode = 1;
      }
    })
    .parseAsync();
}
