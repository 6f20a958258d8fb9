import { type Ability, abilities } from "./grant.ts";

const implied: Record<Ability, readonly Ability[]> = {
  "fs/list": ["fs/list"],
  "fs/read": ["fs/list", "fs/read"],
  "fs/write": ["fs/list", "fs/read", "fs/write"],
  "fs/delete": ["fs/list", "fs/read", "fs/delete"],
};

/** The abilities that a capability's `can` allows: all for `*` and `fs/*`, none for an unknown word. */
export function abilitiesOf(can: string): ReadonlySet<Ability> {
  if (can === "*" || can === "fs/*") return new Set(abilities);
  return new Set(isAbility(can) ? implied[can] : []);
}

/** True when a holder of `parent` may delegate `child`. */
export function coversAbility(parent: string, child: string): boolean {
  if (parent === "*" || parent === child) return true;
  if (parent.endsWith("/*")) return child.startsWith(parent.slice(0, -1));
  return isAbility(parent) && isAbility(child) && implied[parent].includes(child);
}

function isAbility(can: string): can is Ability {
  return (abilities as readonly string[]).includes(can);
}
