// node make-empty.ts <URL of PGlite> <empty folder>: create a database without tables; see empty-database.ts.
import type { PGlite } from "@electric-sql/pglite";

const [, , pglite = "", folder = ""] = process.argv;
const module = (await import(pglite)) as { PGlite: typeof PGlite };
await (await module.PGlite.create(folder)).close();
