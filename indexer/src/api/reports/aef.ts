import { Readable } from "node:stream";
import { type Context, Hono } from "hono";
import { csvOf, csvZipOf } from "../../../lib/aef/csv.ts";
import { tableNames } from "../../../lib/aef/fields.ts";
import { jsonOf } from "../../../lib/aef/json.ts";
import { openSource, spanOf, yearBegin } from "../../../lib/aef/read.ts";
import { type AefRequest, type AefSource, validate } from "../../../lib/aef/report.ts";
import type { Problem } from "../../../lib/aef/validate.ts";
import { xlsxOf } from "../../../lib/aef/xlsx.ts";
import { readStanding, type Standing } from "../../../lib/reports/ask.ts";
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

const body = (pieces: AsyncIterable<string>): ReadableStream =>
  Readable.toWeb(Readable.from(encoded(pieces), { objectMode: false })) as ReadableStream;

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

function download(stream: ReadableStream, type: string, name: string): Response {
  return new Response(stream, {
    headers: { "content-type": type, "content-disposition": `attachment; filename="${name}"` },
  });
}

/** A file that would be refused is not given out as if it were ready. */
function refuseReport(c: Context, problems: Problem[]): Response {
  const message = `The report would be refused for ${problems.length} reasons; draft=true gives it all the same.`;
  const details = problems.map(({ table, row, field, problem }) => ({
    path: row === 0 ? `${table}.${field}` : `${table}[${row}].${field}`,
    rule: "aef",
    message: problem,
  }));
  return refuse(c, "CONFLICT", message, { details });
}

type Asked = { source: AefSource; request: AefRequest; standing: Standing };

function jsonResponse({ source, request, standing }: Asked, spelling: (typeof spellings)[number]): Response {
  const end = yearBegin(request.year + 1);
  const frozen = standing.timestamp >= end;
  // Of a year that is over, the last moment; else the block's.
  const asOf = new Date(frozen ? Number(end) * 1_000 - 1 : Number(standing.timestamp) * 1_000).toISOString();
  const pieces = jsonOf(source, request, spelling, { block: standing.block, asOf, frozen });
  return new Response(body(pieces), { headers: { "content-type": "application/json" } });
}

export const aefRoutes = new Hono();

/** The five tables of the agreed electronic format for a Party and a year, as JSON, CSV or XLSX. */
aefRoutes.get("/reports/aef", async (c) => {
  const standing = await readStanding(ask);
  const read = readQuery(c, rulesAt(standing));
  if (!read.ok) return refuseQuery(c, read.details);
  const { query } = read;
  if (query.table !== undefined && query.format !== "csv") {
    const message = "table is for format=csv alone; the other formats hold all tables.";
    return refuseQuery(c, [{ path: "table", rule: "csv-only", message }]);
  }
  const source = await openSource(ask, query.party, spanOf(query.year, standing));
  const date = new Date(Number(standing.timestamp) * 1_000);
  const request: AefRequest = { party: query.party, year: query.year, version: query.version, date };
  if (query.format === "json") return jsonResponse({ source, request, standing }, query.keys);
  if (query.draft === "false") {
    const { problems } = await validate(source, request);
    if (problems.length > 0) return refuseReport(c, problems);
  }
  const name = `AEF-${query.party}-${query.year}-${query.version}`;
  if (query.format === "xlsx") {
    const sheets = Readable.toWeb(xlsxOf(source, request, query.keys)) as ReadableStream;
    return download(sheets, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", `${name}.xlsx`);
  }
  if (query.table === undefined) {
    return download(csvZipOf(source, request, query.keys), "application/zip", `${name}.zip`);
  }
  const records = body(csvOf(query.table, source, request, query.keys));
  return download(records, "text/csv; charset=utf-8; header=present", `${name}-${query.table}.csv`);
});
