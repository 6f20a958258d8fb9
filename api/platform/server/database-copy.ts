import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { AppError } from "../errors.ts";
import { type AppEnv, createRouter, errorResponses, jsonContent, onlyFor, requireRole } from "../http/index.ts";
import { databaseCopyFolder } from "../local-run.ts";
import type { CoreDeps } from "./core.ts";

const databaseCopy = z
  .object({
    folder: z.string().openapi({ description: "Folder on the machine of the API." }),
    migration: z.number().int().openapi({ description: "Time of the newest migration, in milliseconds." }),
  })
  .openapi("DatabaseCopy");

const copy = createRoute({
  method: "post",
  path: "/admin/database/copy",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "Copy the embedded database to a folder in DATA_DIR (used by npm run backup)",
  request: {},
  responses: {
    201: { description: "The copy, which replaces an earlier one", content: jsonContent(databaseCopy) },
    ...errorResponses(403, 409),
  },
});

const newestMigration = sql`select max(created_at)::text as migration from drizzle.__drizzle_migrations`;

/** Route by which `npm run backup` gets a consistent copy of the database that this process alone can open. */
export function databaseCopyRoutes({
  config,
  db,
  copyDatabase,
}: Pick<CoreDeps, "config" | "db" | "copyDatabase">): OpenAPIHono<AppEnv> {
  let isCopying = false;
  return createRouter({ idempotent: false }).openapi(copy, async (c) => {
    requireRole(c.get("actor"));
    if (copyDatabase === undefined) throw conflict("embedded-database", "The database is PostgreSQL: use pg_dump.");
    if (isCopying) throw conflict("one-copy", "The database is being copied; try again later.");
    isCopying = true;
    try {
      const folder = databaseCopyFolder(config.dataDir);
      await rm(folder, { recursive: true, force: true });
      await copyDatabase(join(folder, "api-db"));
      const { rows } = await db.execute<{ migration: string }>(newestMigration);
      return c.json({ folder, migration: Number(rows[0]?.migration) }, 201);
    } finally {
      isCopying = false;
    }
  });
}

function conflict(rule: string, message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ rule, message }] });
}
