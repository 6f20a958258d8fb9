import { type Column, getTableColumns, getTableName } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { SecretBox, SecretPurpose } from "./secret-box.ts";

/** A column whose values are sealed. Rotation seals them again; so a feature that seals lists its columns. */
export type SealedColumn = {
  /** `webhooks.sealed_secret` */
  name: string;
  table: PgTable;
  column: Column;
  /** Columns of the primary key. */
  key: Column[];
  purpose: SecretPurpose;
  /** How the feature encrypts these values, unless it uses the box as it is. */
  sealing: (box: SecretBox) => Pick<SecretBox, "seal" | "open">;
};

type Names<T extends PgTable> = keyof T["_"]["columns"] & string;

/** List sealed columns of a table. */
export function sealedColumns<T extends PgTable>(
  table: T,
  purpose: SecretPurpose,
  names: readonly Names<T>[],
  sealing: SealedColumn["sealing"] = (box) => box,
): SealedColumn[] {
  const columns: Record<string, Column> = getTableColumns(table);
  const joint = getTableConfig(table).primaryKeys.flatMap((each) => each.columns.map(({ name }) => name));
  const key = Object.values(columns).filter(({ primary, name }) => primary || joint.includes(name));
  return names.map((each) => {
    const column = columns[each] as Column;
    return { name: `${getTableName(table)}.${column.name}`, table, column, key, purpose, sealing };
  });
}
