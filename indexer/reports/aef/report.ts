import type { Action, Approach, Authorization, Holding } from "./facts.ts";
import { fieldsOf, type Row, type TableName, tableNames } from "./fields.ts";
import {
  actionRow,
  authorizationRow,
  entityRows,
  type GwpValues,
  gwpValuesOf,
  holdingRow,
  type Submission,
  submissionRow,
} from "./rows.ts";
import { type Problem, type Unchecked, type ValidationContext, Validator } from "./validate.ts";

/** The source of a report's facts at one time: the end of the year, or now during the year. */
export type AefSource = {
  /** Approaches that the Party takes part in. */
  approaches: readonly Approach[];
  /** Authorizations of those approaches. */
  authorizations: readonly Authorization[];
  /** Creations and actions of those approaches' blocks in the year, in chain order. Each call reads them again. */
  actions(): AsyncIterable<Action>;
  /** Blocks that the Party holds at that time, by conversion and serial. */
  holdings(): AsyncIterable<Holding>;
  capacityOf: ValidationContext["capacityOf"];
};

export type AefRequest = { party: string; year: number; version: string; date: Date };

function submissionOf({ party, year, version, date }: AefRequest, approaches: readonly Approach[]): Submission {
  const own = approaches.filter(({ firstTransferringParty }) => firstTransferringParty === party);
  const periods = own.length > 0 ? own : approaches;
  const years = (key: "ndcFirstYear" | "ndcLastYear") => periods.map((approach) => approach[key]);
  return {
    party,
    year,
    version,
    date,
    ndcFirstYear: periods.length === 0 ? null : Math.min(...years("ndcFirstYear")),
    ndcLastYear: periods.length === 0 ? null : Math.max(...years("ndcLastYear")),
  };
}

/** Pair authorizations with their approaches. */
function* authorized({ approaches, authorizations }: AefSource): Generator<[Authorization, Approach]> {
  const byIndex = new Map(approaches.map((approach) => [approach.index, approach]));
  for (const authorization of authorizations) {
    const approach = byIndex.get(authorization.approach);
    if (approach === undefined) throw new Error(`Authorization ${authorization.authorizationId} has no approach`);
    yield [authorization, approach];
  }
}

async function* actionRows(source: AefSource, party: string, gwp: GwpValues): AsyncGenerator<Row> {
  for await (const action of source.actions()) {
    const row = actionRow(action, party, gwp);
    if (row !== null) yield row;
  }
}

async function* holdingRows(source: AefSource, gwp: GwpValues): AsyncGenerator<Row> {
  for await (const holding of source.holdings()) yield holdingRow(holding, gwp);
}

/** Yield the rows of one table, in order. */
export async function* rowsOf(table: TableName, source: AefSource, request: AefRequest): AsyncGenerator<Row> {
  const gwp = gwpValuesOf(source.authorizations);
  if (table === "submission") yield submissionRow(submissionOf(request, source.approaches));
  if (table === "authorizations")
    for (const [each, approach] of authorized(source)) yield authorizationRow(each, approach);
  if (table === "actions") yield* actionRows(source, request.party, gwp);
  if (table === "holdings") yield* holdingRows(source, gwp);
  if (table === "authorizedEntities")
    for (const [each, approach] of authorized(source)) yield* entityRows(each, approach);
}

/** Pass rows through, and give each to the validator. */
export async function* watched(rows: AsyncIterable<Row>, table: TableName, validator: Validator): AsyncGenerator<Row> {
  for await (const row of rows) {
    validator.add(table, row);
    yield row;
  }
}

export const validatorOf = (source: AefSource, { year }: AefRequest): Validator =>
  new Validator({ year, capacityOf: source.capacityOf });

/** Validate a whole report without writing it. */
export async function validate(
  source: AefSource,
  request: AefRequest,
): Promise<{ problems: Problem[]; unchecked: Unchecked[] }> {
  const validator = validatorOf(source, request);
  for (const table of tableNames) for await (const row of rowsOf(table, source, request)) validator.add(table, row);
  return validator.finish();
}

/** List the cells of a row in the table's order. */
export const cellsOf = (table: TableName, row: Row) => fieldsOf[table].map(({ name }) => row[name] ?? null);
