// node make-database.ts <folder>: the indexer's embedded database; see createDatabase.
import { makeDatabase } from "./embedded-database.ts";

await makeDatabase(String(process.argv[2]));
