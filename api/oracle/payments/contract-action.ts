import { z } from "@hono/zod-openapi";
import type { Chain } from "../../platform/chain/index.ts";
import { from, type PrepareAction, prepareAction } from "../../platform/transactions/index.ts";
import { carbonAmount } from "../../platform/values/numbers.ts";
import { bytes32, did } from "../../platform/values/text.ts";
import { prepareContract } from "./contract-oracle.ts";

const contract = z.strictObject({
  action: z.literal("contractOracle"),
  from,
  oracleDid: did.optional().openapi({ description: "Absent: this system's own oracle." }),
  user: bytes32.optional().openapi({
    type: "string",
    description: "What the oracle told its user. Absent: the DID of the account itself.",
  }),
  amount: carbonAmount.openapi({ description: "The deposit, in stablecoin.", example: 5 }),
  maxPrice: carbonAmount.optional().openapi({ description: "The most that a message may cost. Absent: the price." }),
});

export type ContractDeps = { chain: Chain; payments: { did: string } };

/** The `contractOracle` action of `POST /v1/transactions/prepare`: an account makes a deposit for a user. */
export function contractActions(deps: ContractDeps): PrepareAction[] {
  return [
    prepareAction(contract, async (_ctx, { oracleDid: did = deps.payments.did, action: _, ...terms }) => {
      const { transactions } = await prepareContract(deps.chain, { did, ...terms });
      return { kind: "transactions", transactions };
    }),
  ];
}
