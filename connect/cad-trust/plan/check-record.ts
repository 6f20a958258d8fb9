import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { CadTrustRecord, FieldValue } from "../model/record.ts";
import { type ModelField, tables } from "../model/tables.ts";
import { problem } from "../problems.ts";
import type { Profile } from "../settings/schemas.ts";
import { type Picklist, resolveValue } from "./picklist.ts";

/** A record with the server's values, or every reason why the server would refuse it. */
export type CheckedRecord = { record: CadTrustRecord; problems: RuleDetail[] };

/** Replace values by those of the server's lists, and check what the server requires. */
export function checkRecord(record: CadTrustRecord, { values }: Profile, picklist: Picklist): CheckedRecord {
  const problems: RuleDetail[] = [];
  const pathOf = (field: string) => `${record.key}.${field}`;
  const resolved = (field: ModelField, ours: string): string => {
    if (field.picklists === undefined) return ours;
    const found = resolveValue(field, ours, values[field.name], picklist);
    if ("value" in found) return found.value;
    problems.push({ ...found.problem, path: pathOf(field.name) });
    return ours;
  };
  const fields: Record<string, FieldValue> = {};
  for (const field of tables[record.table].fields) {
    const value = record.fields[field.name] ?? null;
    const { name, isRequired, maxLength } = field;
    if (value === null || value.length === 0) {
      if (isRequired) problems.push(problem("registry-field-missing", pathOf(name), { name }));
      fields[name] = null;
      continue;
    }
    const sent = typeof value === "string" ? resolved(field, value) : value.map((each) => resolved(field, each));
    if (maxLength !== undefined && typeof sent === "string" && sent.length > maxLength) {
      const values = { name, length: sent.length, most: maxLength };
      problems.push(problem("registry-field-long", pathOf(name), values));
    }
    fields[name] = sent;
  }
  return { record: { ...record, fields }, problems };
}
