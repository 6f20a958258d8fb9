export { type Change, changeOnce, forgetChange } from "./change-once.ts";
export { createIdempotency, type Idempotency } from "./service.ts";
export type { StoredResponse } from "./store.ts";
