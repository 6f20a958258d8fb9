import { type Address, getAddress, type Hex, hashTypedData, isAddressEqual } from "viem";
import { approvalTypedData, safeTypedData } from "../../../wire/src/typed-data.ts";
import { errorFromRevert } from "../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { chainUnavailable } from "../../platform/unavailable.ts";
import { movesTo } from "./approvals.ts";
import { contextToJson } from "./context-json.ts";
import type { CouncilNow } from "./council-reader.ts";
import { decisionOf } from "./decision.ts";
import type { GovernanceDeps } from "./deps.ts";
import { getProposal } from "./read.ts";
import type { ApprovalRequest, ProposalResponse, ToSign } from "./schemas.ts";
import { serializeQueue, slotsOf } from "./serialize.ts";
import { verifySigner } from "./signatures.ts";
import { joinProposals } from "./status.ts";
import type { StoredProposal } from "./store.ts";
import type { ApprovalRow } from "./tables.ts";

/** `created`: the signatures were given and are stored; otherwise the body has what to sign. */
export type Answer = { created: boolean; body: ProposalResponse | ToSign };

/** Largest distance of a signed number from the Safe's next number. */
const farthest = 100n;

/**
 * Store a member's approval and execute the proposal if it is complete; without signatures, return what the member has
 * to sign.
 */
export async function sign(
  deps: GovernanceDeps,
  row: StoredProposal,
  council: CouncilNow,
  input: ApprovalRequest,
): Promise<Answer> {
  const { governance } = deps;
  const open = joinProposals(await governance.store.collecting(council.now), council.history, council.now);
  const wish = wishedNonce(input.nonce, council);
  const isNew = row.approvals.length === 0;
  const slots = slotsOf(open);
  const queue = serializeQueue(row.id as Hex, slots, council, wish);
  const nonce = BigInt(queue.nonce);
  const decision = decisionOf(row, nonce, council.context);
  if (input.signature === undefined && input.statementSignature === undefined) {
    const body = await describeToSign(deps, { row, council, queue, decision, signer: getAddress(input.signer) });
    return { created: false, body };
  }
  const approval = await checkSignatures(deps, { row, council, decision, nonce, input });
  if (isNew) await governance.store.save({ ...row, nonce }, approval);
  else {
    const moves = movesTo(nonce, input.signer, row, council.context.state);
    await governance.store.approve(approval, { moves });
  }
  const problems = await governance.executor.executeReady();
  return { created: true, body: await getProposal(deps, row.id as Hex, problems.get(row.id)) };
}

function wishedNonce(wish: bigint | undefined, { context }: CouncilNow): bigint | undefined {
  const next = context.state.nonce;
  if (wish === undefined || (wish >= next && wish < next + farthest)) return wish;
  const message = `The Safe's next number is ${next}; sign for it or one of the ${farthest} after it.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "nonce", rule: "nonce-open", message }] });
}

type Decision = ReturnType<typeof decisionOf>;

async function describeToSign(
  { chain }: GovernanceDeps,
  {
    row,
    council,
    queue,
    decision,
    signer,
  }: { row: StoredProposal; council: CouncilNow; queue: ToSign["queue"]; decision: Decision; signer: Address },
): Promise<ToSign> {
  const at = { chainId: chain.id, council: council.context.contracts.council };
  const { tx, statement } = decision;
  const { summary, changes, notBefore } = statement;
  const before = row.approvals.findLast((each) => isAddressEqual(each.signer as Address, signer));
  const again =
    before !== undefined && before.nonce !== tx.nonce
      ? `You approved it for number ${before.nonce}. ${queue.note ?? ""}`.trim()
      : null;
  return {
    id: row.id,
    typedData: plain(safeTypedData(at, tx)),
    statement: plain(approvalTypedData(at, statement)),
    words: { summary, changes, notBefore },
    warnings: await warningsOf(chain, row, council),
    signer,
    nonce: `${tx.nonce}`,
    salt: row.salt,
    queue,
    again,
    context: contextToJson(council.context, [statement.operationId]),
  };
}

/** Convert typed data to JSON, whole numbers as decimal text. */
function plain(typedData: {
  domain: object;
  types: object;
  primaryType: string;
  message: object;
}): ToSign["typedData"] {
  return JSON.parse(JSON.stringify(typedData, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
}

/** List what would refuse the calls now; the state may change until they are executed. */
async function warningsOf(
  chain: GovernanceDeps["chain"],
  row: StoredProposal,
  { context }: CouncilNow,
): Promise<string[]> {
  const account = row.kind === "operation" ? context.contracts.timelock : context.contracts.council;
  const warnings: string[] = [];
  for (const { target, data } of row.calls) {
    try {
      await chain.client.call({ account, to: target as Address, data: data as Hex });
    } catch (error) {
      const reverted = errorFromRevert(error);
      if (reverted === undefined) throw chainUnavailable(error);
      warnings.push(`As things stand it would be refused: ${reverted.message}`);
      break;
    }
  }
  return warnings;
}

type Signing = { row: StoredProposal; council: CouncilNow; decision: Decision; nonce: bigint; input: ApprovalRequest };

/** Require both signatures of the signer: of the Safe's transaction, and of its statement. */
async function checkSignatures(
  { chain }: GovernanceDeps,
  { row, council, decision, nonce, input }: Signing,
): Promise<ApprovalRow> {
  const { signature, statementSignature } = input;
  const signer = getAddress(input.signer);
  const { statement } = decision;
  const at = { chainId: chain.id, council: council.context.contracts.council };
  const problems: RuleDetail[] = [];
  const check = async (path: string, given: Hex | undefined, hash: Hex, what: string) => {
    const verified = given && (await verifySigner(chain.client, { signer, hash, signature: given }));
    if (verified) return;
    const message =
      given === undefined
        ? `The signature of ${what} is missing: a member signs what is sent and what it says in words.`
        : `This is not ${signer}'s signature of ${what} for number ${nonce}, as things stand now; ask again what to sign.`;
    problems.push({ path, rule: path === "signature" ? "transaction-signed" : "statement-signed", message });
  };
  await check("signature", signature, statement.safeTxHash, "the Safe's transaction (typedData)");
  await check(
    "statementSignature",
    statementSignature,
    hashTypedData(approvalTypedData(at, statement)),
    "the statement",
  );
  refuseBrokenRules(problems, problems[0]?.message);
  return {
    proposalId: row.id,
    signer,
    nonce,
    safeTxHash: statement.safeTxHash,
    signature: signature as Hex,
    statementSignature: statementSignature as Hex,
    statement: { ...statement },
    signedAt: council.now,
  };
}
