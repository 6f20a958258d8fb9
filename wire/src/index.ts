export * from "./card-code.ts";
export {
  type ClientOptions,
  createClient,
  type EndedOperation,
  type HearthClient,
  type OperationOptions,
} from "./client.ts";
export { type BrokenRule, HearthError, PendingTransactionError } from "./errors.ts";
export {
  type Decimal,
  type ExactNumber,
  exact,
  formatScaled,
  fromMicro,
  type IntegerOrText,
  parseExact,
  stringifyExact,
  toMicro,
} from "./exact.ts";
export * from "./household-code.ts";
export * from "./ids.ts";
export type { IndexField, IndexFilter, IndexReader, IndexRow, IndexTable, RowsOptions } from "./index-rows.ts";
export type { IndexTables } from "./index-tables.ts";
export * from "./itmo-ids.ts";
export * from "./kpt-rules.ts";
export * from "./kpt-visits.ts";
export { createProofKey, type ProofKey } from "./proof.ts";
export * from "./reports.ts";
export type { AnswerOf, ItemOf, ListPath, Method, OptionsOf, PathOf, Schemas, ToSend } from "./routes.ts";
export type { components, paths } from "./schema.ts";
export * from "./typed-data.ts";
