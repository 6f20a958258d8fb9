// npm run migrate: bring the API's database up to date, before processes of a new version start.
import { readConfig } from "../api/config.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { DatabaseLockedError, openDatabase } from "../api/platform/db/index.ts";
import { readOptions } from "./command-options.ts";

readOptions(
  `npm run migrate     runs the migrations of the API's database (DATABASE_URL; without it the embedded one in DATA_DIR).
An API process runs them at its start, too; processes that start together run them once.`,
  {},
);
try {
  const { close } = await openDatabase(readConfig(process.env));
  await close();
  console.log("The database is up to date.");
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseLockedError)) throw error;
  console.error(error.message);
  process.exit(1);
}
