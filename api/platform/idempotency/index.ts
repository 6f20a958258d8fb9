export { createIdempotency, type Idempotency } from "./service.ts";
export type { StoredAnswer } from "./store.ts";
