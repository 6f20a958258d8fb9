import { z } from "zod";
import { dateOf } from "../../../platform/chain/index.ts";
import { Directory } from "../directory.ts";
import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { PlanStore } from "./store.ts";
import type { PlanRow } from "./tables.ts";
import { defaultPlan, type PlanConditions, type PlanTerms } from "./terms.ts";

/** Monitoring plans by planId or index. Index 0 is the scheme's default plan, which has terms but no row. */
export class PlanDirectory extends Directory<PlanRow> {
  readonly #store: PlanStore;

  constructor(store: PlanStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (planId) => ledger.participants.read.planIndex([idHash(planId)]),
      isTaken: async (index) => (await ledger.participants.read.planOf([index])).exists,
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.#store = store;
  }

  /** Read the terms for checking redemptions and claims. @throws Error when no plan has the index */
  async termsOf(plan: number): Promise<PlanTerms> {
    if (plan === 0) return defaultPlan;
    const row = await this.byIndex(plan);
    if (!row) throw new Error(`The chain knows no plan ${plan}.`);
    return row.terms;
  }

  /** Indexes of an implementer's plans, at most `limit`. */
  async ofImplementer(implementer: number, limit: number): Promise<number[]> {
    await this.catchUp();
    return (await this.#store.listAfter(0, limit, implementer)).map(({ plan }) => plan);
  }
}

const conditions: z.ZodType<PlanConditions> = z.object({
  regions: z.array(z.string()),
  requiredEvidence: z.array(z.string()),
  season: z.string().nullable(),
  externalFactors: z
    .object({
      season: z.string().optional(),
      culturalEvents: z.array(z.string()),
      occupationalFactors: z.array(z.string()),
    })
    .nullable(),
});

/**
 * Read the conditions that the API checks in addition to the contract. A plan that was registered without the API may have a text in another
 * form; then the contract's rules hold alone, as for a plan that names no conditions.
 */
function readConditions(terms: string): PlanConditions {
  const none = { regions: [], requiredEvidence: [], season: null, externalFactors: null };
  try {
    return conditions.safeParse(JSON.parse(terms)).data ?? none;
  } catch (error) {
    if (error instanceof SyntaxError) return none;
    throw error;
  }
}

async function readRegistration(ledger: Ledger, plan: number): Promise<PlanRow | null> {
  const [event] = await ledger.past("participants", "PlanRegistered", { plan });
  if (!event) return null;
  const { registration } = event.args;
  return {
    planId: registration.planId,
    plan,
    implementer: registration.implementer,
    terms: {
      plan,
      planId: registration.planId,
      implementer: registration.implementer,
      period: { startDate: dateOf(registration.startDay), endDate: dateOf(registration.endDay) },
      claimWindowHours: registration.claimWindowHours,
      reviewShare: registration.reviewShare,
      supplierMayIssue: registration.supplierMayIssue,
      products: registration.products.length === 0 ? null : [...registration.products],
      trustedIssuers: [...registration.trustedIssuers],
      ...readConditions(registration.terms),
    },
    transactionHash: event.transactionHash,
    registeredAt: await ledger.timeOf(event.blockNumber),
  };
}
