// node run-migrations.ts <folder>: run the migrations of an embedded database; see create-embedded.ts.
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { migrationsFolder } from "./migrations-folder.ts";

const database = await PGlite.create(process.argv[2]);
await migrate(drizzle(database), { migrationsFolder });
await database.close();
