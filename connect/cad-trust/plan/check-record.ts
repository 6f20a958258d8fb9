import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { CadTrustRecord, FieldValue } from "../model/record.ts";
import { type ModelField, tables } from "../model/tables.ts";
import type { Profile } from "../settings/schemas.ts";
import { type Picklist, resolveValue } from "./picklist.ts";

/** A record with the server's values, or every reason why the server would refuse it. */
export type CheckedRecord = { record: CadTrustRecord; problems: RuleDetail[] };

/** Replace values by those of the server's lists, and check what the server requires. */
export function checkRecord(record: CadTrustRecord, { values }: Profile, picklist: Picklist): CheckedRecord {
  const problems: RuleDetail[] = [];
  const add = (field: string, rule: string, message: string) =>
    void problems.push({ path: `${record.key}.${field}`, rule, message });
  const resolved = (field: ModelField, ours: string): string => {
    if (field.picklists === undefined) return ours;
    const found = resolveValue(field, ours, values[field.name], picklist);
    if ("value" in found) return found.value;
    add(field.name, found.problem.rule, found.problem.message);
    return ours;
  };
  const fields: Record<string, FieldValue> = {};
  for (const field of tables[record.table].fields) {
    const value = record.fields[field.name] ?? null;
    const { name, isRequired, maxLength } = field;
    if (value === null || value.length === 0) {
      if (isRequired) add(name, "field-given", `${name} is required.`);
      fields[name] = null;
      continue;
    }
    const sent = typeof value === "string" ? resolved(field, value) : value.map((each) => resolved(field, each));
    if (maxLength !== undefined && typeof sent === "string" && sent.length > maxLength) {
      add(name, "field-length", `${name} has ${sent.length} characters; the server takes ${maxLength}.`);
    }
    fields[name] = sent;
  }
  return { record: { ...record, fields }, problems };
}
