import { parseArgs } from "node:util";
import { createWalletClient, getAddress, type Hex, http } from "viem";
import { type ContextJson, contextFromJson } from "../../api/scheme/governance/context-json.ts";
import { readCouncilState } from "../../api/scheme/governance/council-state.ts";
import { encodeExecute } from "../../api/scheme/governance/operations.ts";
import type { ProposalResponse } from "../../api/scheme/governance/schemas.ts";
import { withdrawalTypedData } from "../../wire/src/typed-data.ts";
import { actionBody } from "./action.ts";
import { approveInFile, proposeInFile, sendFile } from "./file.ts";
import { cancelAsGuardian, pausePool } from "./guardian.ts";
import { signAndSend } from "./member.ts";
import { openNode, readHistory } from "./node.ts";
import { jsonOf, printProposal, printState } from "./print.ts";
import { openService, type Service } from "./service.ts";
import { confirm, openSigner, type Signer } from "./signer.ts";
import { dropAccount, lowerCap, vetoReduction, vetoRevocation } from "./tighten.ts";
import { options, RefusedError, UsageError, usage, type Values } from "./usage.ts";

type Command = (service: Service, values: Values, words: string[]) => Promise<void>;

const commands: Record<string, Command> = {
  status,
  show: async (service, values, words) =>
    printProposal((await service<ProposalResponse>("GET", `/proposals/${idOf(words)}`)).body, values),
  propose: async (service, values, words) => {
    const body = actionBody(words);
    const signer = await openSigner(values);
    if (values.file !== undefined) return await proposeInFile(body, values, signer);
    await signAndSend(service, values, { path: "/proposals", body: { ...body, proposer: signer.address }, signer });
  },
  unpause: async (service, values, words) => {
    if (words.length > 0) throw new UsageError("unpause takes no fields.");
    await commands.propose?.(service, values, ["unpause"]);
  },
  approve: async (service, values, words) => {
    if (values.file !== undefined) return await approveInFile(values, await openSigner(values));
    const path = `/proposals/${idOf(words)}/approvals`;
    const signer = await openSigner(values);
    await signAndSend(service, values, { path, body: { signer: signer.address }, signer });
  },
  send: async (_service, values) => await sendFile(values, await openSigner(values)),
  execute,
  cancel,
  pause: async (service, values, words) => {
    if (words.length > 0) throw new UsageError("pause takes no fields.");
    await pausePool(service, values, await openSigner(values));
  },
  lower: async (_service, values, words) => await lowerCap(values, words, () => openSigner(values)),
  "drop-account": async (_service, values, words) => await dropAccount(values, words, () => openSigner(values)),
  "veto-reduction": async (_service, values, words) => await vetoReduction(values, words, () => openSigner(values)),
  "veto-revocation": async (_service, values, words) => await vetoRevocation(values, words, () => openSigner(values)),
};

function idOf(words: string[]): Hex {
  const [id, ...more] = words;
  if (id === undefined || more.length > 0 || !/^0x[0-9a-fA-F]{64}$/.test(id)) {
    throw new UsageError("The proposal's id is needed: 0x and 64 hexadecimal digits, as status prints it.");
  }
  return id.toLowerCase() as Hex;
}

async function status(service: Service, values: Values): Promise<void> {
  const node = await openNode(values);
  const { items } = (await service<{ items: ProposalResponse[] }>("GET", "/proposals?limit=500")).body;
  const open = items.filter((each) => ["collecting", "scheduled", "ready"].includes(each.status));
  if (values.json) return console.log(JSON.stringify({ proposals: open }, null, 2));
  if (node !== undefined) printState(await readCouncilState(node.client, node.deployment.contracts));
  else printState(contextFromJson((await service<ContextJson>("GET", "/council")).body).state);
  console.log(open.length === 0 ? "\nNothing is open." : `\n${open.length} open:`);
  for (const proposal of open) printProposal(proposal, values);
}

/** By the service's relayer; with --rpc and your own key, directly to the chain. */
async function execute(service: Service, values: Values, words: string[]): Promise<void> {
  const id = idOf(words);
  const node = await openNode(values);
  const hasKey = ["key-file", "key-env", "as"].some((name) => values[name as keyof Values] !== undefined);
  if (node === undefined || !hasKey) {
    return printProposal((await service<ProposalResponse>("POST", `/proposals/${id}/execute`)).body, values);
  }
  const past = (await readHistory(node)).operations.get(id);
  if (past === undefined) throw new RefusedError("The timelock has no operation with this id.");
  const { account } = await openSigner(values);
  if (account === undefined || !(await confirm(`Execute ${id} at ${node.url}?`, values)))
    throw new RefusedError("Nothing was sent.");
  const call = { to: node.deployment.contracts.timelock, data: encodeExecute(past.operation) };
  await node.client.call({ account, ...call }).catch((cause: Error) => {
    throw new RefusedError(`The chain refuses it: ${cause.message.split("\n")[0]}`);
  });
  const hash = await createWalletClient({ account, transport: http(node.url) }).sendTransaction({
    chain: null,
    ...call,
  });
  const { status: outcome, blockNumber } = await node.client.waitForTransactionReceipt({ hash, pollingInterval: 500 });
  if (outcome !== "success") throw new RefusedError(`The chain refused it (${hash}).`);
  console.log(`Executed in block ${blockNumber} (${hash}).`);
}

/** The guardian's transaction, the proposer's withdrawal, or a decision of the council: the service says which it needs. */
async function cancel(service: Service, values: Values, words: string[]): Promise<void> {
  const id = idOf(words);
  const signer = await openSigner(values);
  const path = `/proposals/${id}/cancel`;
  const node = await openNode(values);
  if (node !== undefined && node.deployment.roles.guardian === signer.address) {
    return await cancelAsGuardian(service, values, signer, id);
  }
  const { body } = await service<Record<string, unknown>>("POST", path, { by: signer.address });
  if ("transaction" in body) return await cancelAsGuardian(service, values, signer, id);
  if ("statement" in body) return await signAndSend(service, values, { path, body: { by: signer.address }, signer });
  await withdraw(service, values, { id, path, signer, asked: body as unknown as WithdrawalAsked });
}

type WithdrawalAsked = { typedData: { domain: { chainId: number; verifyingContract: string } } };

/** Withdraw a proposal. The signed data is built here; only the council's address comes from the service. */
async function withdraw(
  service: Service,
  values: Values,
  { id, path, signer, asked }: { id: Hex; path: string; signer: Signer; asked: WithdrawalAsked },
): Promise<void> {
  const { chainId, verifyingContract } = asked.typedData.domain;
  const typedData = withdrawalTypedData({ chainId, council: getAddress(verifyingContract) }, id);
  console.log(`${typedData.message.statement} (${id})`);
  if (signer.account === undefined && values.signature === undefined) {
    return console.log(`${signer.address} signs this, for --signature:\n${jsonOf(typedData)}`);
  }
  if (signer.account && !(await confirm(`Sign as ${signer.address}?`, values)))
    throw new RefusedError("Nothing was signed.");
  const signature = (await signer.account?.signTypedData(typedData)) ?? values.signature;
  printProposal((await service<ProposalResponse>("POST", path, { by: signer.address, signature })).body, values);
}

/** Run one command and print its result. @returns 0, 1 when it is refused, 2 when it is not understood */
export async function runPool(args: string[]): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [name, ...words] = positionals;
    if (values.help || name === undefined) {
      console.log(usage);
      return 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new UsageError(`There is no command ${name}. See --help.`);
    await command(openService(values), values, words);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    if (!isUsage && !(error instanceof RefusedError)) throw error;
    console.error((error as Error).message);
    return isUsage ? 2 : 1;
  }
}
