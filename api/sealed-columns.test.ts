import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { allSealedColumns } from "./sealed-columns.ts";

/** Sealed with the secret of the collector's link, which the service does not have. */
const others = new Set(["odk_collectors.sealed_key"]);
/** Sealed, under another name. */
const otherNames = new Set(["odk_collectors.key_for_password", "household_pins.hash"]);

test("a rotation seals each sealed column of the database again", async () => {
  const rooms = readdirSync("connect", { withFileTypes: true }).filter((each) => each.isDirectory());
  const files = ["./tables.ts", ...rooms.map(({ name }) => `../connect/${name}/tables.ts`)];
  const found = new Set<string>();
  for (const file of files) {
    const tables = await import(file).catch((error: { code?: string }) => {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      return {};
    });
    for (const table of Object.values(tables).filter((each): each is PgTable => is(each, PgTable))) {
      for (const column of Object.values(getTableColumns(table))) {
        const name = `${getTableName(table)}.${column.name}`;
        const isSealed = column.name.startsWith("sealed_") && column.getSQLType() === "text";
        if ((isSealed && !others.has(name)) || otherNames.has(name)) found.add(name);
      }
    }
  }
  assert.ok(found.size >= 24, `${found.size}`);
  assert.deepEqual(allSealedColumns.map(({ name }) => name).toSorted(), [...found].toSorted());
  for (const { name, key } of allSealedColumns) assert.ok(key.length > 0, `${name} has a primary key`);
});
