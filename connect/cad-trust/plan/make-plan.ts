import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { HearthClient } from "../../../wire/src/index.ts";
import { aefRecords } from "../facts/aef-records.ts";
import { projectRecords } from "../facts/project-records.ts";
import { readFacts } from "../facts/read-facts.ts";
import { type LeftOut, unitRecords } from "../facts/unit-records.ts";
import type { CadTrustRecord, Fields } from "../model/record.ts";
import { type TableName, tableNames } from "../model/table-names.ts";
import { problem } from "../problems.ts";
import type { Profile } from "../settings/schemas.ts";
import type { RecordRow } from "../tables.ts";
import { checkRecord } from "./check-record.ts";
import type { Picklist } from "./picklist.ts";
import { changedFields, type FieldChange } from "./same-value.ts";

/** What should be on the server, in the order in which it is sent. */
export type Target = {
  records: CadTrustRecord[];
  /** What is not published, and why. */
  notes: string[];
  leftOut: LeftOut[];
  /** What the server would refuse. Nothing is sent while there is any. */
  problems: RuleDetail[];
};

/** What a publication does with a record. `wait`: edit it after its commit. */
export type PlannedAction = "create" | "edit" | "remove" | "wait";
export type PlannedChange = { key: string; table: TableName; action: PlannedAction; changes: FieldChange[] };

type Source = { client: HearthClient; profile: Profile; picklist: Picklist; linkOf: (blockId: string) => string };

/**
 * Work out what should be on the server from the index and the settings.
 * @throws HearthError when the index does not answer
 */
export async function makeTarget({ client, profile, picklist, linkOf }: Source): Promise<Target> {
  const facts = await readFacts(client, profile);
  const ofUnits = unitRecords(profile, facts, linkOf);
  const given = [...projectRecords(profile), ...ofUnits.records, ...aefRecords(profile, facts)];
  const checked = given.map((record) => checkRecord(record, profile, picklist));
  const keys = new Set(given.map(({ key }) => key));
  const orphans = given.flatMap(({ key, parents }) =>
    Object.entries(parents)
      .filter(([, parent]) => !keys.has(parent))
      .map(([field, parent]) => problem("registry-parent-missing", `${key}.${field}`, { parent })),
  );
  const place = new Map(tableNames.map((name, i) => [name, i]));
  return {
    records: checked.map(({ record }) => record).sort((a, b) => (place.get(a.table) ?? 0) - (place.get(b.table) ?? 0)),
    notes: ofUnits.notes,
    leftOut: ofUnits.leftOut,
    problems: [...ofUnits.problems, ...checked.flatMap(({ problems }) => problems), ...orphans],
  };
}

/**
 * Fields as they are sent: parents' ids are the server's. Undefined while a parent has none.
 * @param idOf the server's id of a record by its key
 */
export function fieldsToSend(record: CadTrustRecord, idOf: (key: string) => string | undefined): Fields | undefined {
  const fields: Fields = { ...record.fields };
  for (const [name, parent] of Object.entries(record.parents)) {
    const id = idOf(parent);
    if (id === undefined) return undefined;
    fields[name] = id;
  }
  return fields;
}

/** Compare what should be on the server with what was sent to it. */
export function compare({ records }: Target, sent: readonly RecordRow[]): PlannedChange[] {
  const rows = new Map(sent.map((row) => [row.key, row]));
  const idOf = (key: string) => rows.get(key)?.remoteId ?? undefined;
  const wanted = new Set(records.map(({ key }) => key));
  const changed = records.flatMap((record): PlannedChange[] => {
    const { key, table } = record;
    const row = rows.get(key);
    if (row === undefined || row.remoteId === null) return [{ key, table, action: "create", changes: [] }];
    const fields = fieldsToSend(record, idOf);
    if (fields === undefined) return [{ key, table, action: "wait", changes: [] }];
    const changes = changedFields(table, row.sent, fields);
    if (changes.length === 0 && row.state !== "differs" && row.state !== "refused") return [];
    return [{ key, table, action: row.publishedAt === null ? "wait" : "edit", changes }];
  });
  const removed = sent
    .filter(({ key, table }) => isRemovable(table) && !wanted.has(key))
    .map(({ key, table }): PlannedChange => ({ key, table, action: "remove", changes: [] }));
  return [...changed, ...removed];
}

/** Only a current year's holdings can end. Everything else that was published stays. */
export const isRemovable = (table: TableName): boolean => table === "aef-t4-holdings";
