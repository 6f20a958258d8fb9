/** Conditions of a plan that the API checks, not the chain. The plan's event holds their canonical JSON. */
export type PlanConditions = {
  regions: string[];
  requiredEvidence: string[];
  season: string | null;
  externalFactors: ExternalFactors | null;
};

export type ExternalFactors = { season?: string; culturalEvents: string[]; occupationalFactors: string[] };

/** Everything that a redemption or a delivery claim is checked for. */
export type PlanTerms = PlanConditions & {
  /** Index on chain; 0 is the scheme's default plan. */
  plan: number;
  planId: string;
  /** Index of the plan's implementer, 0 for the default plan. */
  implementer: number;
  /** First and last day, inclusive; null for the default plan, which has no end. */
  period: { startDate: string; endDate: string } | null;
  claimWindowHours: number;
  /** Share of claims drawn for review, in ten-thousandths. */
  reviewShare: number;
  supplierMayIssue: boolean;
  /** Indexes of the products that may be redeemed; null for every approved product. */
  products: number[] | null;
  /** DIDs of the trusted issuers that the plan accepts; empty for all that the registry trusts. */
  trustedIssuers: string[];
};

export const DEFAULT_PLAN_ID = "default";

/** Plan 0: 336 hours, every approved product, registry-wide issuers, any region. */
export const defaultPlan: PlanTerms = {
  plan: 0,
  planId: DEFAULT_PLAN_ID,
  implementer: 0,
  period: null,
  claimWindowHours: 336,
  reviewShare: 0,
  supplierMayIssue: false,
  products: null,
  trustedIssuers: [],
  regions: [],
  requiredEvidence: [],
  season: null,
  externalFactors: null,
};
