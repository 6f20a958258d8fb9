import type { Hex } from "viem";
import type { Council } from "./safe-tx.ts";
import type { Statement } from "./words/describe-decision.ts";

const approvalTypes = {
  PoolApproval: [
    { name: "summary", type: "string" },
    { name: "changes", type: "string[]" },
    { name: "notBefore", type: "string" },
    { name: "operationId", type: "bytes32" },
    { name: "safeTxHash", type: "bytes32" },
  ],
} as const;
const withdrawalTypes = {
  PoolProposalWithdrawal: [
    { name: "statement", type: "string" },
    { name: "proposalId", type: "bytes32" },
  ],
} as const;

const domainOf = ({ chainId, council: verifyingContract }: Council) =>
  ({ name: "Hearth Council", version: "1", chainId, verifyingContract }) as const;

/** The words as typed data: what a wallet shows is what the Safe's transaction, named by its hash, does. */
export function statementTypedData(council: Council, message: Statement) {
  return { domain: domainOf(council), types: approvalTypes, primaryType: "PoolApproval" as const, message };
}

/** By which a proposer takes a proposal back that is not scheduled yet. */
export function withdrawalTypedData(council: Council, proposalId: Hex) {
  const statement = "I take this proposal back. Nobody is asked to approve it any more.";
  const message = { statement, proposalId };
  return { domain: domainOf(council), types: withdrawalTypes, primaryType: "PoolProposalWithdrawal" as const, message };
}
