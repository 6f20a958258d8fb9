import { isoDate } from "../../../../../wire/src/chain-values.ts";
import type { Flag } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import { inOrder } from "../in-order.ts";
import type { MeasuredHousehold } from "../inputs/households.ts";

/** What was measured before the draw, when it could still be chosen which households and devices the campaign has. */
export type BeforeDraw = {
  /** Day of the draw block in UTC. */
  drawnOn: string;
  /** Positions with a counted claim whose first day is earlier, in their order. */
  reference: readonly number[];
  intervention: readonly number[];
  /** Positions of the usage survey whose visit was earlier, in their order. */
  surveyed: readonly number[];
};

type DatedClaim = { group: Group; position: number; startDate: string };
type DatedVisit = { position: number; surveyedOn: string | null };

/**
 * Find what was measured on a day before that of the draw.
 * @param drawnAt time of the draw block, unix seconds
 */
export function beforeDrawOf(
  drawnAt: number,
  { claims, visits }: { claims: readonly DatedClaim[]; visits: readonly DatedVisit[] },
): BeforeDraw {
  const drawnOn = isoDate(Math.floor(drawnAt / 86_400));
  const of = (group: Group) => {
    const own = claims.filter((claim) => claim.group === group && claim.startDate < drawnOn);
    return inOrder(own.map(({ position }) => position));
  };
  const early = visits.filter(({ surveyedOn }) => surveyedOn !== null && surveyedOn < drawnOn);
  return {
    drawnOn,
    reference: of("reference"),
    intervention: of("intervention"),
    surveyed: inOrder(early.map(({ position }) => position)),
  };
}

type Measured = Record<Group, readonly Pick<MeasuredHousehold, "position">[]>;

/** Flag households that were measured, and devices that were visited, before the draw. */
export function beforeDrawFlags(beforeDraw: BeforeDraw | undefined, measured: Measured): Flag[] {
  if (beforeDraw === undefined) return [];
  const { drawnOn, surveyed } = beforeDraw;
  const found = groups.flatMap((group): Flag[] => {
    const early = beforeDraw[group].length;
    if (early === 0) return [];
    const areAll = early === measured[group].length;
    const message = `${early} of ${measured[group].length} measured ${group} households were measured before the day of the draw, ${drawnOn}.`;
    return [{ group, rule: "measured-before-draw", message, positions: areAll ? [] : [...beforeDraw[group]] }];
  });
  if (surveyed.length === 0) return found;
  const message = `${surveyed.length} devices of the usage survey were visited before the day of the draw, ${drawnOn}.`;
  return [...found, { group: "intervention", rule: "surveyed-before-draw", message, positions: [] }];
}
