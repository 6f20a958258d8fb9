import type { Clock } from "../clock.ts";
import type { Operations } from "./runner.ts";

/** Dependencies of this folder's services. */
export type OperationDeps = {
  clock: Clock;
  operations: Operations;
};
