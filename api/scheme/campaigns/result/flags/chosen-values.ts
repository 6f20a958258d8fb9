import type { RuleDetail } from "../../../../platform/errors.ts";
import type { Flag } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import type { MeasuredHousehold } from "../inputs/households.ts";

/** A drawn position that was measured again after claims of it were revoked, with the ids of these claims in their order. */
export type RemeasuredPosition = { position: number; claimIds: string[] };

/** By group, in the order of their positions. */
export type Remeasured = Record<Group, readonly RemeasuredPosition[]>;

type RevokedClaim = { id: string; group: Group; position: number };

/** Find the positions with revoked claims that have another value: they neither ended as missing nor are open. */
export function remeasuredOf(
  revoked: readonly RevokedClaim[],
  { missing, open }: Record<"missing" | "open", Record<Group, readonly number[]>>,
): Record<Group, RemeasuredPosition[]> {
  const of = (group: Group): RemeasuredPosition[] => {
    const unmeasured = new Set([...missing[group], ...open[group]]);
    const own = revoked.filter((claim) => claim.group === group && !unmeasured.has(claim.position));
    return [...Map.groupBy(own, ({ position }) => position)]
      .map(([position, claims]) => ({ position, claimIds: claims.map(({ id }) => id).sort() }))
      .sort((a, b) => a.position - b.position);
  };
  return { reference: of("reference"), intervention: of("intervention") };
}

type Sample = {
  sampleSize: number;
  /** Absent from results that were closed before they recorded it. */
  remeasured?: Remeasured | undefined;
  /** Daily logs of each claim, where the terms fix them. */
  days?: number | undefined;
};

/** Flag positions that were measured again after claims were revoked: who revoked them knew the values. */
export function remeasuredFlags({ remeasured, sampleSize }: Sample): Flag[] {
  if (remeasured === undefined) return [];
  return groups.flatMap((group): Flag[] => {
    const found = remeasured[group];
    if (found.length === 0) return [];
    const claims = found.reduce((sum, { claimIds }) => sum + claimIds.length, 0);
    const message = `${found.length} of ${sampleSize} households of the ${group} group were measured again after ${claims} of their claims were revoked.`;
    return [{ group, rule: "measured-after-revocation", message, positions: found.map(({ position }) => position) }];
  });
}

/**
 * List what prevents a certificate because values could be chosen once others were known: several claims of a household although the
 * terms fix its days, and more than 10 % of a group measured again after a
 * revocation, which is the limit of missing positions.
 */
export function chosenValueProblems(
  { remeasured, sampleSize, days }: Sample,
  measured: Record<Group, readonly Pick<MeasuredHousehold, "claimIds">[]>,
): RuleDetail[] {
  if (remeasured === undefined) return [];
  return groups.flatMap((group) => {
    const path = `groups.${group}`;
    const found: RuleDetail[] = [];
    const several = measured[group].filter(({ claimIds }) => claimIds.length > 1).length;
    if (days !== undefined && several > 0) {
      const message = `The terms fix ${days} days of each household; ${several} households of the ${group} group have more than one claim.`;
      found.push({ path, rule: "one-claim-of-fixed-days", message });
    }
    const again = remeasured[group].length;
    if (again * 10 > sampleSize) {
      const message = `${again} of ${sampleSize} ${group} households were measured again after a claim was revoked, which is more than 10 %.`;
      found.push({ path, rule: "remeasured-at-most-tenth", message });
    }
    return found;
  });
}
