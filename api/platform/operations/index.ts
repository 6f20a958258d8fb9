export type { OperationDeps } from "./deps.ts";
export { OperationCancelled, OperationWaits } from "./endings.ts";
export { addOperationGauges } from "./gauges.ts";
export { operationRoutes } from "./routes.ts";
export { createOperations, type OperationJob, type Operations } from "./runner.ts";
export { type StartedOperation, startedOperation } from "./schemas.ts";
export { findReadable, findStarted, startOperation } from "./service.ts";
export type { QueuedRow, RowResult } from "./store.ts";
