import { type Column, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import type { SealedColumn } from "../sealed-columns.ts";
import { createSecretBox, type SealingKeys, type SecretBox, sealedBy, sealingKeyId } from "../secret-box.ts";

/** A value that none of the keys opens: `place` names its column and row. */
export type UnreadableValue = { place: string; reason: string };

type Row = { value: string } & Record<string, unknown>;
type Work = { db: Database; keys: SealingKeys; rowsAtOnce: number };

/**
 * Seal the values of a column again that are not sealed with the current key. Rows that a request holds meanwhile are left out.
 * @returns how many were sealed, and those that do not open
 */
export async function resealColumn(
  { db, keys, rowsAtOnce }: Work,
  sealed: SealedColumn,
): Promise<{ done: number; unreadable: UnreadableValue[] }> {
  const box = sealed.sealing(createSecretBox(keys, sealed.purpose));
  const unreadable: UnreadableValue[] = [];
  let done = 0;
  let after: unknown[] | undefined;
  for (;;) {
    const { rows, fresh } = await db.transaction(async (tx) => {
      const rows = await nextRows(tx, sealed, keys, after, rowsAtOnce);
      const fresh = new Map<Row, string>();
      for (const row of rows) {
        const result = sealAgain(box, row.value);
        if (typeof result === "string") fresh.set(row, result);
        else unreadable.push({ place: `${sealed.name} of ${keyOf(row, sealed).join(", ")}`, reason: result.message });
      }
      if (fresh.size > 0) await writeBack(tx, sealed, fresh);
      return { rows, fresh };
    });
    done += fresh.size;
    const last = rows.at(-1);
    if (last === undefined) return { done, unreadable };
    after = keyOf(last, sealed);
  }
}

/** Count the values of a column that are not sealed with the current key. */
export async function countOutdated(db: Database, sealed: SealedColumn, keys: SealingKeys): Promise<number> {
  return await countWhere(db, sealed, isOutdated(sealed.column, keys));
}

/** Count the values of a column that are sealed with a key. */
export async function countSealedBy(db: Database, sealed: SealedColumn, keyId: string): Promise<number> {
  return await countWhere(db, sealed, sql`${sealed.column} like ${`${keyId}.%`}`);
}

async function countWhere(db: Database, { table }: SealedColumn, condition: SQL): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from ${table} where ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

/** Values of the scheme key have no id. */
function isOutdated(column: Column, { scheme, current }: SealingKeys): SQL {
  if (current === scheme) return sql`${column} like '%.%'`;
  return sql`${column} not like ${`${sealingKeyId(current)}.%`}`;
}

/** Waits for no row: a transaction that waits while it holds others could stop a request. */
async function nextRows(
  tx: Transaction,
  { table, column, key }: SealedColumn,
  keys: SealingKeys,
  after: unknown[] | undefined,
  limit: number,
): Promise<Row[]> {
  const names = sql.join(key, sql`, `);
  const selected = sql.join(
    key.map((each, i) => sql`${each} as ${sql.identifier(`key${i}`)}`),
    sql`, `,
  );
  const isNext =
    after &&
    sql`and (${names}) > (${sql.join(
      after.map((each, i) => cast(each, key[i])),
      sql`, `,
    )})`;
  const { rows } = await tx.execute<Row>(sql`
    select ${selected}, ${column} as value from ${table} where ${isOutdated(column, keys)} ${isNext}
    order by ${names} limit ${limit} for no key update skip locked`);
  return rows;
}

/** Open and seal a value; an Error when it does not open. */
function sealAgain(box: Pick<SecretBox, "seal" | "open">, value: string): string | Error {
  let secret: string;
  try {
    secret = box.open(value);
  } catch (error) {
    const by = sealedBy(value);
    const reason = error instanceof Error ? error.message : String(error);
    return new Error(by === undefined || reason.includes(by) ? reason : `${reason} (key ${by})`);
  }
  return box.seal(secret);
}

async function writeBack(tx: Transaction, { table, column, key }: SealedColumn, fresh: Map<Row, string>) {
  const values = Array.from(fresh, ([row, value]) => {
    const ofKey = key.map((each, i) => cast(row[`key${i}`], each));
    return sql`(${sql.join([...ofKey, sql`cast(${value} as text)`], sql`, `)})`;
  });
  const names = [...key.map((_, i) => sql.identifier(`key${i}`)), sql.identifier("value")];
  const isSame = key.map((each, i) => sql`${each} = fresh.${sql.identifier(`key${i}`)}`);
  await tx.execute(sql`
    update ${table} set ${sql.identifier(column.name)} = fresh.value
    from (values ${sql.join(values, sql`, `)}) as fresh (${sql.join(names, sql`, `)})
    where ${sql.join(isSame, sql` and `)}`);
}

const keyOf = (row: Row, { key }: SealedColumn): unknown[] => key.map((_, i) => row[`key${i}`]);

function cast(value: unknown, column: Column | undefined): SQL {
  return sql`cast(${value} as ${sql.raw(column?.getSQLType() ?? "text")})`;
}
