import { type AefReport, type AefTableName, aefTableNames } from "../../../../wire/src/reports.ts";

export const tableNames = aefTableNames;
export type TableName = AefTableName;
export type Report = AefReport;
export type Tables = AefReport["tables"];
export type ReportQuery = { party: string; year: string; keys: string; version: string };
