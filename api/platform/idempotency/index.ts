export { createIdempotency, type Idempotency } from "./service.ts";
export type { StoredResponse } from "./store.ts";
