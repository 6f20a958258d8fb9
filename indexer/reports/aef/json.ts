import type { AefReport } from "../../../wire/src/reports.ts";
import { type Cell, fieldsOf, type KeySpelling, keyOf, type Row, type TableName, tableNames } from "./fields.ts";
import { inPages } from "./pages.ts";
import { type AefRequest, type AefSource, rowsOf, validatorOf, watched } from "./report.ts";

/** Facts in the response besides the tables. */
export type AefNotes = Pick<AefReport, "asOf" | "frozen"> & Record<keyof Pick<AefReport, "block">, bigint>;

const rowsPerChunk = 200;

const cellText = (cell: Cell | undefined): string =>
  typeof cell === "bigint" ? cell.toString() : JSON.stringify(cell ?? null);

function rowText(table: TableName, row: Row, spelling: KeySpelling): string {
  const fields = fieldsOf[table].map(
    (field) => `${JSON.stringify(keyOf(field, spelling))}:${cellText(row[field.name])}`,
  );
  return `{${fields.join(",")}}`;
}

async function* tableText(table: TableName, rows: AsyncIterable<Row>, spelling: KeySpelling): AsyncGenerator<string> {
  let before = "";
  for await (const page of inPages(rows, rowsPerChunk)) {
    yield before + page.map((row) => rowText(table, row, spelling)).join(",");
    before = ",";
  }
}

/**
 * Write `{party, year, …, tables, validation, unchecked}` piece by piece. The validation comes last, because it needs every row.
 */
export async function* jsonOf(
  source: AefSource,
  request: AefRequest,
  spelling: KeySpelling,
  { block, asOf, frozen }: AefNotes,
): AsyncGenerator<string> {
  const validator = validatorOf(source, request);
  const { party, year } = request;
  yield `{"party":${JSON.stringify(party)},"year":${year},"block":${block},"asOf":"${asOf}","frozen":${frozen},"tables":{`;
  for (const table of tableNames) {
    yield `${table === tableNames[0] ? "" : ","}"${table}":[`;
    yield* tableText(table, watched(rowsOf(table, source, request), table, validator), spelling);
    yield "]";
  }
  const { problems, unchecked } = validator.finish();
  yield `},"validation":${JSON.stringify(problems)},"unchecked":${JSON.stringify(unchecked)}}`;
}
