import type { HeldDelegation } from "../turn.ts";

/** Whether a delegation holds an ability such as `fs/write`: by itself, by `fs/*` or by `*`. */
export function covers(delegation: HeldDelegation | null, ability: string): boolean {
  const segments = ability.split("/");
  const holds = (can: string) => {
    const held = can.split("/");
    const last = held.at(-1) === "*" ? held.slice(0, -1) : undefined;
    return last === undefined ? can === ability : last.every((segment, i) => segment === segments[i]);
  };
  return delegation?.capabilities.some(({ can }) => holds(can)) ?? false;
}
