import type { KptPeopleFed } from "../../../../../wire/src/kpt-visits.ts";
import { type Flag, peopleOf } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import type { MeasuredHousehold } from "../inputs/households.ts";

type Household = Pick<MeasuredHousehold, "position" | "members" | "fed">;

/** Flag households where the number of people fed differs much from the registered members, or nobody was fed although fuel was used. */
export function peopleFedFlags(measured: Record<Group, readonly Household[]>): Flag[] {
  return groups.flatMap((group): Flag[] => {
    const positions = measured[group].filter(contradictsRegister).map(({ position }) => position);
    if (positions.length === 0) return [];
    const message = `${positions.length} households of the ${group} group fed other people than the register has: more than one and a half times the registered members, guests apart, less than half of them, more guests than members, or nobody although fuel was used.`;
    return [{ group, rule: "people-differ", message, positions }];
  });
}

/** Compare the mean of the days that were counted with the registered members. The limits are the scheme's. */
function contradictsRegister({ members, fed }: Household): boolean {
  if (fed.nobody > 0) return true;
  const registered = members === null ? 0 : peopleOf(members);
  if (fed.days === 0 || registered === 0) return false;
  const ofRegister = registered * fed.days;
  const own = peopleOf(fed);
  return own * 2 > ofRegister * 3 || allOf(fed) * 2 < ofRegister || fed.guests > ofRegister;
}

/** People that were fed, guests included, over all counted days. */
export function allOf(fed: KptPeopleFed): number {
  return peopleOf(fed) + fed.guests;
}
