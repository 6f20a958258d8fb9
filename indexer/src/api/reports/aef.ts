import { Readable } from "node:stream";
import { type Context, Hono } from "hono";
import { aefFileName } from "../../../../wire/src/aef-fields.ts";
import { csvOf, csvZipOf } from "../../../reports/aef/csv.ts";
import { type TableName, tableNames } from "../../../reports/aef/fields.ts";
import { jsonOf } from "../../../reports/aef/json.ts";
import { openSource, spanOf, yearBegin } from "../../../reports/aef/read.ts";
import { type AefRequest, type AefSource, validate } from "../../../reports/aef/report.ts";
import type { Problem } from "../../../reports/aef/validate.ts";
import { xlsxOf } from "../../../reports/aef/xlsx.ts";
import { readStanding, type Standing } from "../../../reports/ask.ts";
import { ExportSlots } from "../../../reports/export-slots.ts";
import { refuse } from "../errors.ts";
import { ask } from "./ask.ts";
import { matching, oneOf, optional, party, readQuery, refuseQuery, yearUpTo } from "./parameters.ts";

const formats = ["json", "csv", "xlsx"] as const;
const spellings = ["technical", "cad-trust"] as const;
const version = matching(/^[1-9]\d{0,3}\.\d{1,4}$/, "version-x.y", "version must be X.Y, the first 1.0.");

const rulesAt = ({ timestamp }: Standing) => ({
  party,
  year: yearUpTo(timestamp),
  format: oneOf("format", formats, "json"),
  keys: oneOf("keys", spellings, "technical"),
  table: optional(oneOf("table", tableNames, "actions")),
  version: (given: string | undefined) => version(given ?? "1.0"),
  draft: oneOf("draft", ["true", "false"], "false"),
});

const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const body = (pieces: AsyncIterable<string>): ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(encoded(pieces), { objectMode: false })) as ReadableStream<Uint8Array>;

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** A file that would be refused is returned only as a draft. */
function refuseReport(c: Context, problems: Problem[]): Response {
  const message = `The report would be refused for ${problems.length} reasons; draft=true returns it anyway.`;
  const details = problems.map(({ table, row, field, problem }) => ({
    path: row === 0 ? `${table}.${field}` : `${table}[${row}].${field}`,
    rule: "aef",
    message: problem,
  }));
  return refuse(c, "CONFLICT", message, { details });
}

type Asked = { source: AefSource; request: AefRequest; standing: Standing };

type Export = { stream: ReadableStream<Uint8Array>; headers: Record<string, string> };
type Query = Pick<AefRequest, "party" | "year" | "version"> & {
  format: (typeof formats)[number];
  keys: (typeof spellings)[number];
  table: TableName | undefined;
};

const attached = (type: string, name: string) => ({
  "content-type": type,
  "content-disposition": `attachment; filename="${name}"`,
});

function jsonExport({ source, request, standing }: Asked, { keys }: Query): Export {
  const end = yearBegin(request.year + 1);
  const frozen = standing.timestamp >= end;
  // The end of a past year; otherwise the block's time.
  const asOf = new Date(frozen ? Number(end) * 1_000 - 1 : Number(standing.timestamp) * 1_000).toISOString();
  const pieces = jsonOf(source, request, keys, { block: standing.block, asOf, frozen });
  return { stream: body(pieces), headers: { "content-type": "application/json" } };
}

function exportOf(asked: Asked, query: Query): Export {
  const { source, request } = asked;
  const { format, keys, table } = query;
  const name = aefFileName(query);
  if (format === "json") return jsonExport(asked, query);
  if (format === "xlsx") {
    const stream = Readable.toWeb(xlsxOf(source, request, keys)) as ReadableStream<Uint8Array>;
    return { stream, headers: attached(workbookType, `${name}.xlsx`) };
  }
  if (table === undefined) {
    return { stream: csvZipOf(source, request, keys), headers: attached("application/zip", `${name}.zip`) };
  }
  const headers = attached("text/csv; charset=utf-8; header=present", `${name}-${table}.csv`);
  return { stream: body(csvOf(table, source, request, keys)), headers };
}

/** Limit concurrent exports, so that anonymous callers cannot block the embedded database. */
const slots = new ExportSlots(4);

export const aefRoutes = new Hono();

/** The five tables of the agreed electronic format for a Party and a year, as JSON, CSV or XLSX. */
aefRoutes.get("/reports/aef", async (c) => {
  const standing = await readStanding(ask);
  const read = readQuery(c, rulesAt(standing));
  if (!read.ok) return refuseQuery(c, read.details);
  const { query } = read;
  if (query.table !== undefined && query.format !== "csv") {
    const message = "table is only for format=csv; the other formats contain all tables.";
    return refuseQuery(c, [{ path: "table", rule: "csv-only", message }]);
  }
  if (slots.isFull) {
    const message = "Too many reports are being written; try again in a moment.";
    return refuse(c, "UNAVAILABLE", message, { headers: { "Retry-After": "5" } });
  }
  const release = slots.take();
  try {
    const source = await openSource(ask, query.party, spanOf(query.year, standing));
    const date = new Date(Number(standing.timestamp) * 1_000);
    const request: AefRequest = { party: query.party, year: query.year, version: query.version, date };
    const problems =
      query.format === "json" || query.draft === "true" ? [] : (await validate(source, request)).problems;
    if (problems.length > 0) {
      release();
      return refuseReport(c, problems);
    }
    const { stream, headers } = exportOf({ source, request, standing }, query);
    return new Response(slots.watch(stream, release), { headers });
  } catch (error) {
    release();
    throw error;
  }
});
