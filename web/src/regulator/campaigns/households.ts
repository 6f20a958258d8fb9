import { parse } from "csv-parse/browser/esm/sync";
import { type GroupName, groupNames } from "./result.ts";

/** A measured household: its position in the draw, and its fuel in kg a day as decimal text. */
export type Household = { position: number; perDay: string };

/** Read the households of both groups from a result's CSV, whose rows are `section,of,name,value,unit,source`. */
export function householdsOf(csv: string): Record<GroupName, Household[]> {
  const rows = parse(csv, { columns: true, relax_column_count: true }) as Record<string, string>[];
  const of = (group: GroupName) =>
    rows
      .filter((row) => row.section === "household" && row.of === group)
      .map(({ name = "", value = "" }) => ({ position: Number(name.replace("position ", "")), perDay: value }));
  return Object.fromEntries(groupNames.map((group) => [group, of(group)])) as Record<GroupName, Household[]>;
}
