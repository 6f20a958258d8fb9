import { unknownImplementer } from "../../scheme/pool/party.ts";
import { type BrokenRule, broken, brokenByHolding, refuseBroken } from "../../scheme/pool/rules.ts";
import { isZero } from "../../scheme/registry/identifiers.ts";
import { requireOwnImplementer } from "../http/authorize.ts";
import type { ServiceContext } from "../http/context.ts";
import type { Prepare, PreparedTransaction, PreparedTransactions } from "./schemas.ts";
import { unsignedTransaction } from "./unsigned.ts";

/** Gas limit of a payment that cannot be simulated, because the approval before it is not mined: twice what one takes. */
const PAYMENT_GAS = 300_000n;

/** What each action pays, and how. */
const payments = {
  "repay-debt": { functionName: "repayDebt", owed: "debt" },
  "replace-carbon": { functionName: "replaceCarbon", owed: "replacement" },
} as const;

/**
 * The transactions that pay what an implementer owes for revoked certificates: the approval of its CARBON where one lacks,
 * then the payment. A suspended implementer may pay too.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT, RULE_VIOLATION, naming every broken rule
 */
export async function prepareDebtPayment(
  ctx: ServiceContext,
  { action, implementerDid, amount, from: payer }: Prepare<"repay-debt"> | Prepare<"replace-carbon">,
): Promise<PreparedTransaction | PreparedTransactions> {
  requireOwnImplementer(ctx.actor, implementerDid);
  const { chain, registry } = ctx.deps;
  const found = await registry.implementers.byDid(implementerDid);
  if (found === null) throw unknownImplementer(implementerDid);
  const { implementer } = found;
  const { functionName, owed } = payments[action];
  const [amounts, { account }] = await Promise.all([
    registry.implementers.owedBy(implementer),
    registry.implementers.stateOf(implementer),
  ]);
  const from = payer ?? account;
  const spender = chain.addresses.certificates;
  const [balance, allowance] = await Promise.all([
    isZero(from) ? 0n : chain.read("carbon", "balanceOf", [from]),
    isZero(from) ? 0n : chain.read("carbon", "allowance", [from, spender]),
  ]);
  const rules: BrokenRule[] = brokenByHolding(amount, { balance }, true).map(({ refusal }) => ({
    path: "amount",
    refusal,
  }));
  if (amount > amounts[owed]) {
    rules.push(broken("amount", { name: "AmountNotOwed", args: [implementer, amount, amounts[owed]] }));
  }
  refuseBroken(rules);
  const pay = { from, contract: "certificates", functionName, args: [implementer, amount] } as const;
  if (allowance >= amount) return await unsignedTransaction(chain, pay);
  const approve = { from, contract: "carbon", functionName: "approve", args: [spender, amount] } as const;
  const transactions = [
    await unsignedTransaction(chain, approve),
    await unsignedTransaction(chain, pay, { gas: PAYMENT_GAS, after: 1 }),
  ];
  return { kind: "transactions", transactions };
}
