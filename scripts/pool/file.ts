import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Address, createWalletClient, type Hex, hashTypedData, http, isAddressEqual } from "viem";
import { z } from "zod";
import { zodDetails } from "../../api/platform/http/error-response.ts";
import { parseJsonBody } from "../../api/platform/values/json.ts";
import { proposalRequest } from "../../api/scheme/governance/action-schemas.ts";
import { planAction } from "../../api/scheme/governance/actions.ts";
import { quorumOf } from "../../api/scheme/governance/approvals.ts";
import type { CouncilContext, CouncilState } from "../../api/scheme/governance/council-state.ts";
import { safeTxFor } from "../../api/scheme/governance/decision.ts";
import { describeDecision } from "../../api/scheme/governance/describe/describe-decision.ts";
import { directId, newOperation, operationId } from "../../api/scheme/governance/operations.ts";
import { encodeExecTransaction, packSignatures } from "../../api/scheme/governance/safe-tx.ts";
import { verifySigner } from "../../api/scheme/governance/signatures.ts";
import { approvalTypedData, safeTypedData } from "../../wire/src/typed-data.ts";
import { contextOf, openNode, type TrustedNode } from "./node.ts";
import { printWords } from "./print.ts";
import type { Reviewed } from "./review.ts";
import { confirm, type Signer } from "./signer.ts";
import { RefusedError, UsageError, type Values } from "./usage.ts";

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x([0-9a-fA-F]{2})*$/.test(value));
const whole = z.string().regex(/^\d+$/).transform(BigInt);
const proposalFile = z.object({
  chainId: z.number(),
  council: hex,
  kind: z.enum(["operation", "direct"]),
  calls: z.array(z.object({ target: hex, value: whole, data: hex })).min(1),
  salt: hex,
  delay: whole,
  /** The Safe's nonce that the signatures are for. */
  nonce: whole,
  approvals: z.array(z.object({ signer: hex, signature: hex, statementSignature: hex })),
});
type ProposalFile = z.infer<typeof proposalFile>;
type Opened = { path: string; node: TrustedNode; context: CouncilContext & { state: CouncilState } };

async function open(values: Values): Promise<Opened> {
  const node = await openNode(values);
  if (values.file === undefined || node === undefined)
    throw new UsageError("--file needs --rpc, a node to read the chain from.");
  const context = (await contextOf(node, {} as never)) as Opened["context"];
  return { path: resolve(process.env.INIT_CWD ?? ".", values.file), node, context };
}

/** Propose into a new file, with the proposer's signatures. */
export async function proposeInFile(body: Record<string, unknown>, values: Values, signer: Signer): Promise<void> {
  const opened = await open(values);
  const request = proposalRequest.safeParse(
    parseJsonBody(Buffer.from(JSON.stringify({ ...body, proposer: signer.address }))),
  );
  if (!request.success)
    throw new RefusedError(
      zodDetails(request.error)
        .map(({ path, message }) => `${path}: ${message}`)
        .join("\n"),
    );
  const { context } = opened;
  const { kind, calls, problems } = planAction(request.data, context);
  if (problems.length > 0) throw new RefusedError(problems.map(({ message }) => message).join("\n"));
  const salt = (values.salt ?? `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}`) as Hex;
  const nonce = values.nonce === undefined ? context.state.nonce : BigInt(values.nonce);
  const delay = kind === "operation" ? context.state.delay : 0n;
  const { chainId, contracts } = context;
  await signInto(
    { chainId, council: contracts.council, kind, calls, salt, delay, nonce, approvals: [] },
    opened,
    values,
    signer,
  );
}

/** Add a member's signatures to a file. When the Safe has passed the file's number, all sign again, for the next one. */
export async function approveInFile(values: Values, signer: Signer): Promise<void> {
  const opened = await open(values);
  const file = await readProposal(opened);
  const wanted = values.nonce === undefined ? file.nonce : BigInt(values.nonce);
  const next = opened.context.state.nonce;
  const nonce = wanted < next ? next : wanted;
  if (nonce !== file.nonce && file.approvals.length > 0) {
    console.log(
      `! Signed for number ${nonce} instead of ${file.nonce}: the ${file.approvals.length} approvals so far must be given again.`,
    );
  }
  await signInto({ ...file, nonce, approvals: nonce === file.nonce ? file.approvals : [] }, opened, values, signer);
}

async function readProposal({ path, context }: Opened): Promise<ProposalFile> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new UsageError(`There is no file ${path}.`);
  });
  const parsed = proposalFile.safeParse(JSON.parse(text));
  if (!parsed.success) throw new RefusedError(`${path} is not a proposal to a council.`);
  const { chainId, council } = parsed.data;
  if (chainId !== context.chainId || !isAddressEqual(council, context.contracts.council)) {
    throw new RefusedError(`${path} is for the Safe ${council} on chain ${chainId}, which is not this council's.`);
  }
  return parsed.data;
}

/** Build what a file's signers must sign, from its calls. */
function reviewFile(file: ProposalFile, { context }: Opened): Reviewed {
  const tx = safeTxFor(file, file.nonce, context.contracts.timelock);
  const at = { chainId: context.chainId, council: context.contracts.council };
  const { statement, alarms } = describeDecision(tx, context);
  if (alarms.length > 0) throw new RefusedError(["This is not signed.", ...statement.changes].join("\n  "));
  return { statement, safeTx: safeTypedData(at, tx), words: approvalTypedData(at, statement) };
}

async function signInto(
  file: ProposalFile,
  opened: Opened,
  values: Values,
  { account, address }: Signer,
): Promise<void> {
  const { owners } = opened.context.state;
  if (!owners.some((owner) => isAddressEqual(owner, address)))
    throw new RefusedError(`${address} is not a member of the council.`);
  const reviewed = reviewFile(file, opened);
  printWords(idOf(file), reviewed, opened.node.url);
  if (account === undefined) throw new UsageError("With --file the key must be here: --key-file, --key-env or --as.");
  if (!(await confirm(`Sign as ${address}?`, values))) throw new RefusedError("Nothing was signed.");
  const own = {
    signer: address,
    signature: await account.signTypedData(reviewed.safeTx),
    statementSignature: await account.signTypedData(reviewed.words),
  };
  const approvals = [...file.approvals.filter(({ signer }) => !isAddressEqual(signer, address)), own];
  const plain = { ...file, approvals, words: reviewed.statement };
  await writeFile(
    opened.path,
    `${JSON.stringify(plain, (_, value) => (typeof value === "bigint" ? `${value}` : value), 2)}\n`,
  );
  console.log(`${approvals.length} of ${quorumOf(opened.context.state)} approvals in ${opened.path}.`);
}

/** Execute through the Safe what enough members approved in a file; any account may send it and pays for it. */
export async function sendFile(values: Values, { account }: Signer): Promise<void> {
  const opened = await open(values);
  const file = await readProposal(opened);
  const { node, context } = opened;
  if (account === undefined) throw new UsageError("send needs a key that pays: --key-file, --key-env or --as.");
  if (file.nonce !== context.state.nonce) {
    throw new RefusedError(
      `It is signed for number ${file.nonce}; the Safe's next one is ${context.state.nonce}. Approve it again.`,
    );
  }
  const reviewed = reviewFile(file, opened);
  printWords(idOf(file), reviewed, node.url);
  const approvals = await checkApprovals(file, reviewed, opened);
  const to = context.contracts.council;
  const data = encodeExecTransaction(reviewed.safeTx.message, packSignatures(approvals));
  await node.client.call({ account, to, data }).catch((cause: Error) => {
    throw new RefusedError(`The chain refuses it: ${cause.message.split("\n")[0]}`);
  });
  if (!(await confirm(`Send it to ${node.url} as ${account.address}?`, values)))
    throw new RefusedError("Nothing was sent.");
  const hash = await createWalletClient({ account, transport: http(node.url) }).sendTransaction({
    chain: null,
    to,
    data,
  });
  const { status, blockNumber } = await node.client.waitForTransactionReceipt({ hash, pollingInterval: 500 });
  if (status !== "success") throw new RefusedError(`The chain refused it (${hash}).`);
  console.log(`Done in block ${blockNumber} (${hash}).`);
}

/** Both signatures of each member; the proposer's are never enough, whatever the Safe's threshold is. */
async function checkApprovals(file: ProposalFile, { safeTx, words }: Reviewed, { node, context }: Opened) {
  const { owners } = context.state;
  const checked = await Promise.all(
    file.approvals.map(async ({ signer, signature, statementSignature }) => {
      const verify = (hash: Hex, given: Hex) =>
        verifySigner(node.client, { signer: signer as Address, hash, signature: given });
      const [one, two] = await Promise.all([
        verify(hashTypedData(safeTx), signature),
        verify(hashTypedData(words), statementSignature),
      ]);
      const isMember = owners.some((owner) => isAddressEqual(owner, signer));
      if (isMember && one !== null && two !== null) return [{ signer, signature, isContract: one.isContract }];
      console.log(
        `! The approval of ${signer} does not count: ${isMember ? "what is in force has changed, or it is not theirs" : "no member"}.`,
      );
      return [];
    }),
  );
  const approvals = checked.flat();
  const needed = quorumOf(context.state);
  if (approvals.length < needed)
    throw new RefusedError(`${approvals.length} of ${needed} approvals: it is not decided.`);
  return approvals;
}

function idOf({ kind, calls, salt, delay }: ProposalFile): Hex {
  if (kind === "operation") return operationId(newOperation(calls, { salt, delay }));
  const [call] = calls;
  if (call === undefined) throw new RefusedError("The file has no call.");
  return directId(call, salt);
}
