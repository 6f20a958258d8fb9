/** What GET /reports/aef answers as JSON. */
export const tableNames = ["submission", "authorizations", "actions", "holdings", "authorizedEntities"] as const;
export type TableName = (typeof tableNames)[number];
export type Cell = string | number | null;
export type Tables = Record<TableName, Record<string, Cell>[]>;
export type Report = {
  party: string;
  year: number;
  block: number;
  asOf: string;
  frozen: boolean;
  tables: Tables;
  validation: { table: string; row: number; field: string; problem: string }[];
  unchecked: { table: string; field: string; reason: string }[];
};
export type ReportQuery = { party: string; year: string; keys: string; version: string };
