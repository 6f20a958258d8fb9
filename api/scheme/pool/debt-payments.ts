import { z } from "@hono/zod-openapi";
import { type RequestContext, requireOwnImplementer } from "../../platform/http/index.ts";
import {
  from,
  type PrepareAction,
  type PreparedTransaction,
  type PreparedTransactions,
  prepareAction,
  unsignedTransaction,
} from "../../platform/transactions/index.ts";
import { positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { did } from "../../platform/values/text.ts";
import { isZero } from "../../platform/values/zero-address.ts";
import type { PoolDeps } from "./deps.ts";
import { unknownImplementer } from "./party.ts";
import { type BrokenRule, broken, brokenByHolding, refuseBroken } from "./rules.ts";

/** Gas limit of a payment that cannot be simulated because its approval is not mined yet: twice the usual gas. */
const PAYMENT_GAS = 300_000n;

/** Debt and payment call of each action. */
const payments = {
  "repay-debt": { functionName: "repayDebt", owed: "debt" },
  "replace-carbon": { functionName: "replaceCarbon", owed: "replacement" },
} as const;

const terms = {
  implementerDid: did,
  amount: positiveCarbonAmount,
  from: from.optional().openapi({ description: "Absent: the implementer's account." }),
};
const repay = z.strictObject({ action: z.literal("repay-debt"), ...terms });
const replace = z.strictObject({ action: z.literal("replace-carbon"), ...terms });

/** Define the actions that accounts sign to pay an implementer's debts. */
export function debtActions(deps: PoolDeps): PrepareAction[] {
  return [
    prepareAction(repay, (ctx, input) => prepareDebtPayment(deps, ctx, input)),
    prepareAction(replace, (ctx, input) => prepareDebtPayment(deps, ctx, input)),
  ];
}

/**
 * Prepare the transactions that pay an implementer's debts for revoked certificates: the approval of its CARBON if it lacks one,
 * then the payment. A suspended implementer may pay too.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT, RULE_VIOLATION, naming every broken rule
 */
async function prepareDebtPayment(
  deps: PoolDeps,
  ctx: RequestContext,
  { action, implementerDid, amount, from: payer }: z.infer<typeof repay> | z.infer<typeof replace>,
): Promise<PreparedTransaction | PreparedTransactions> {
  requireOwnImplementer(ctx.actor, implementerDid);
  const { chain, registry } = deps;
  const found = await registry.implementers.byDid(implementerDid);
  if (found === null) throw unknownImplementer(implementerDid);
  const { implementer } = found;
  const { functionName, owed } = payments[action];
  const [amounts, { account }] = await Promise.all([
    registry.implementers.owedBy(implementer),
    registry.implementers.stateOf(implementer),
  ]);
  const signer = payer ?? account;
  const spender = chain.addresses.certificates;
  const [balance, allowance] = await Promise.all([
    isZero(signer) ? 0n : chain.read("carbon", "balanceOf", [signer]),
    isZero(signer) ? 0n : chain.read("carbon", "allowance", [signer, spender]),
  ]);
  const rules: BrokenRule[] = brokenByHolding(amount, { balance }, true).map(({ refusal }) => ({
    path: "amount",
    refusal,
  }));
  if (amount > amounts[owed]) {
    rules.push(broken("amount", { name: "AmountNotOwed", args: [implementer, amount, amounts[owed]] }));
  }
  refuseBroken(rules);
  const pay = { from: signer, contract: "certificates", functionName, args: [implementer, amount] } as const;
  if (allowance >= amount) return await unsignedTransaction(chain, pay);
  const approve = { from: signer, contract: "carbon", functionName: "approve", args: [spender, amount] } as const;
  const transactions = [
    await unsignedTransaction(chain, approve),
    await unsignedTransaction(chain, pay, { gas: PAYMENT_GAS, after: 1 }),
  ];
  return { kind: "transactions", transactions };
}
