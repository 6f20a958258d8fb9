import { type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../../api/platform/db/index.ts";
import type { SealedColumn } from "../../api/platform/sealed-columns.ts";
import { createSecretBox, type SealingKeys } from "../../api/platform/secret-box.ts";
import { allSealedColumns } from "../../api/sealed-columns.ts";

/** For tests: fill every sealed column of the database with `rows` different values. Other columns get anything that fits. */
export async function fillSealedColumns(db: Database, keys: SealingKeys, rows: number, from = 0): Promise<void> {
  for (const table of new Set(allSealedColumns.map((each) => each.table))) {
    const sealed = allSealedColumns.filter((each) => each.table === table);
    for (let row = from; row < from + rows; row++) {
      const values = new Map<string, unknown>(
        sealed.map((each) => [each.column.name, boxOf(each, keys).seal(secretOf(each, row))]),
      );
      await insert(db, table, row, values);
    }
  }
}

/** For tests: the sealed values that do not open as what `fillSealedColumns` sealed, and the keys that sealed the others. */
export async function readSealedColumns(
  db: Database,
  keys: SealingKeys,
): Promise<{ wrong: string[]; keys: Set<string> }> {
  const wrong: string[] = [];
  const sealedWith = new Set<string>();
  for (const each of allSealedColumns) {
    const { table, column, key } = each;
    const first = key[0] as Column;
    const { rows } = await db.execute<{ value: string; row: string | number }>(
      sql`select ${column} as value, ${first} as row from ${table} order by ${first}`,
    );
    for (const { value, row } of rows) {
      const number = Number(String(row).replace(/\D/g, ""));
      sealedWith.add(value.includes(".") ? value.slice(0, value.indexOf(".")) : "scheme");
      const opened = open(each, keys, value);
      if (opened !== secretOf(each, number)) wrong.push(`${each.name} ${row}: ${opened}`);
    }
  }
  return { wrong, keys: sealedWith };
}

function open(column: SealedColumn, keys: SealingKeys, value: string): string {
  try {
    return boxOf(column, keys).open(value);
  } catch (error) {
    return String(error);
  }
}

const boxOf = ({ purpose, sealing }: SealedColumn, keys: SealingKeys) => sealing(createSecretBox(keys, purpose));
const secretOf = ({ name }: SealedColumn, row: number) => `${name.replaceAll(".", " ")} ${row}`;

/** Insert a row, and first the rows that it refers to. */
async function insert(db: Database, table: PgTable, row: number, given: ReadonlyMap<string, unknown>): Promise<void> {
  for (const each of getTableConfig(table).foreignKeys) {
    await insert(db, each.reference().foreignTable, row, new Map());
  }
  const columns = Object.values(getTableColumns(table)).filter(
    (column: Column) => given.has(column.name) || (column.notNull && !column.hasDefault),
  ) as Column[];
  const names = columns.map(({ name }) => sql.identifier(name));
  const values = columns.map((column) => (given.has(column.name) ? sql`${given.get(column.name)}` : any(column, row)));
  await db.execute(
    sql`insert into ${table} (${sql.join(names, sql`, `)}) values (${sql.join(values, sql`, `)}) on conflict do nothing`,
  );
}

function any(column: Column, row: number): SQL {
  const type = column.getSQLType();
  if (type.endsWith("[]")) return sql`'{}'`;
  if (type.startsWith("timestamp")) return sql`now()`;
  if (type === "boolean") return sql`false`;
  if (type === "jsonb") return sql`'{}'`;
  if (type === "text") return sql`${`row ${row}`}`;
  return sql`${row}`;
}
