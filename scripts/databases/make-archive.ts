// node make-archive.ts <URL of PGlite> <folder of a database> <file>: write its files into an archive, and delete it.
import { rm, writeFile } from "node:fs/promises";
import type { PGlite } from "@electric-sql/pglite";

const [, , pglite = "", folder = "", file = ""] = process.argv;
const module = (await import(pglite)) as { PGlite: typeof PGlite };
const database = await module.PGlite.create(folder);
// Then a database that is loaded from the archive has nothing to recover.
await database.query("checkpoint");
const archive = await database.dumpDataDir("none");
await writeFile(file, Buffer.from(await archive.arrayBuffer()));
await database.close();
await rm(folder, { recursive: true });
