import type { Clock } from "../clock.ts";
import type { Operations } from "./runner.ts";

/** What the services of this folder work with. */
export type OperationDeps = {
  clock: Clock;
  operations: Operations;
};
