import { Decimal as Library } from "decimal.js";
import {
  type Decimal,
  decimal,
  decimalText,
  type Method,
  methods,
  withRecordedMinimums,
} from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { type Group, groups } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import { type ResultDocument, readDocument } from "../result/document.ts";
import { committedMinimums } from "../result/inputs/committed-parameters.ts";
import { type EmissionsTerms, type MethodId, usualMethod, valueUnitOf } from "../result/inputs/emissions-terms.ts";
import type { CampaignTerms } from "../terms/terms.ts";
import { SAMPLING_DECIMALS } from "./schemas.ts";
import type { MeasuredVariation } from "./terms.ts";

/** Greatest coefficient of variation that a sample is planned for. */
const greatest = decimal(10);

/**
 * Find the coefficient of variation that the plan's last closed campaign of the same method and unit of a value measured: the larger of
 * both groups, rounded up. Undefined where no such campaign is stored here, or none has a spread and the method's least sample.
 */
export async function measuredVariation(
  deps: CampaignDeps,
  plan: number,
  emissions: EmissionsTerms | null,
): Promise<MeasuredVariation | undefined> {
  const closed = (await deps.campaigns.ofPlan(plan))
    .filter((row) => row.status === "closed" && isAlike(row.terms.emissions, emissions))
    .sort((a, b) => (a.endDate === b.endDate ? b.campaign - a.campaign : a.endDate < b.endDate ? 1 : -1));
  for (const row of closed) {
    const found = await variationOf(deps, row);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isAlike(one: EmissionsTerms | null, other: EmissionsTerms | null): boolean {
  return methodOf(one) === methodOf(other) && valueUnitOf(one) === valueUnitOf(other);
}

function methodOf(terms: EmissionsTerms | null): MethodId {
  return terms?.method ?? usualMethod;
}

/** Whether both groups have as many measured households as the method and the regulator ask for, however small the frames were. */
function reachesMinimum({ record, figures }: ResultDocument): boolean {
  const id = methodOf(record.terms);
  const { minimums } = withRecordedMinimums(methods.get(id) as Method, committedMinimums(record.parameters ?? [], id));
  return groups.every((group) => decimal(JSON.stringify(figures.groups[group].n)).gte(minimums.sample.value));
}

async function variationOf(deps: CampaignDeps, row: CampaignRow): Promise<MeasuredVariation | undefined> {
  const { campaignId, resultHash } = row;
  const document = resultHash === null ? null : await readDocument(deps, campaignId, resultHash);
  if (document === null || !reachesMinimum(document)) return undefined;
  const [most] = groups
    .flatMap((group): { group: Group; variation: Decimal }[] => {
      const { coefficientOfVariation } = document.figures.groups[group];
      return coefficientOfVariation === null
        ? []
        : [{ group, variation: decimal(JSON.stringify(coefficientOfVariation)) }];
    })
    .filter(({ variation }) => variation.gt(0))
    .sort((a, b) => b.variation.comparedTo(a.variation));
  if (most === undefined) return undefined;
  const rounded = most.variation.toDecimalPlaces(SAMPLING_DECIMALS, Library.ROUND_UP);
  return {
    campaignId,
    group: most.group,
    coefficientOfVariation: decimalText(rounded.gt(greatest) ? greatest : rounded),
  };
}

/**
 * Put what was measured before into the terms of a sample, in place of what they had of it. Without a stated coefficient of variation,
 * the measured one is planned for.
 */
export function withMeasuredVariation(
  terms: CampaignTerms,
  measured: MeasuredVariation | undefined,
  isStated: boolean,
): CampaignTerms {
  if (terms.sampling === undefined) return terms;
  const { measured: _, ...sampling } = terms.sampling;
  if (measured === undefined) return { ...terms, sampling };
  const { coefficientOfVariation } = isStated ? sampling : measured;
  return { ...terms, sampling: { ...sampling, coefficientOfVariation, measured } };
}
