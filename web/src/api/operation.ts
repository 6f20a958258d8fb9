import type { Schemas } from "../../../wire/src/routes.ts";

export type Operation = Schemas["Operation"];

export function hasEnded({ status }: Pick<Operation, "status">): boolean {
  return status !== "queued" && status !== "running";
}
