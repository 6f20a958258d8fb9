import type { Method } from "./definition.ts";
import { mecdSpecificEnergy, mecdUsefulEnergy } from "./mecd.ts";
import { smec } from "./smec.ts";
import { tpddtec4 } from "./tpddtec-4.ts";
import { tpddtecPlain } from "./tpddtec-plain.ts";
import { vm0050 } from "./vm0050.ts";

/** Every method, by its id. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [smec, tpddtec4, tpddtecPlain, mecdSpecificEnergy, mecdUsefulEnergy, vm0050].map((method) => [method.id, method]),
);

/** Whether a method reads what the meters of devices counted. */
export function readsMeters(method: string | undefined): boolean {
  return method !== undefined && methods.get(method)?.metered !== undefined;
}
