import { coversAbility } from "../../platform/ucan/index.ts";
import type { HeldDelegation } from "../wire/turn.ts";

/** Check whether a delegation grants an ability such as `fs/write`, directly or through a broader one. */
export function holdsAbility(delegation: HeldDelegation | null, ability: string): boolean {
  return delegation?.capabilities.some(({ can }) => coversAbility(can, ability)) ?? false;
}
