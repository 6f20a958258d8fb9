// node make-embedded.ts <folder>: create an embedded database with its tables; see create-embedded.ts.
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { migrationsFolder } from "./migrations-folder.ts";

const database = await PGlite.create(process.argv[2]);
await migrate(drizzle(database), { migrationsFolder });
await database.close();
