export type { Side } from "./arithmetic.ts";
export { debtActions } from "./debt-payments.ts";
export { addPoolGauges } from "./gauges.ts";
export { openPool, type Pool } from "./pool.ts";
export { poolActions } from "./prepare.ts";
export { poolRoutes } from "./routes.ts";
export { amountsOfSwap, swapResults } from "./swap-record.ts";
export { deadline } from "./terms.ts";
export { jsonBound, jsonFee } from "./units.ts";
