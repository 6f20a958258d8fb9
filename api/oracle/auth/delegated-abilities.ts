import { coversAbility } from "../../platform/ucan/abilities.ts";
import type { HeldDelegation } from "../wire/turn.ts";

/** Whether a delegation holds an ability such as `fs/write`, by itself or by one that covers it, as the file store reads them. */
export function covers(delegation: HeldDelegation | null, ability: string): boolean {
  return delegation?.capabilities.some(({ can }) => coversAbility(can, ability)) ?? false;
}
