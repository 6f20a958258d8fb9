import { type Abi, encodeFunctionData, keccak256, stringToHex } from "viem";
import { abis } from "../../api/platform/chain/contracts.ts";
import { zodDetails } from "../../api/platform/http/error-response.ts";
import { parseJsonBody } from "../../api/platform/values/json.ts";
import { type DelayedAction, delayedAction } from "../../api/scheme/governance/action-schemas.ts";
import { planAction } from "../../api/scheme/governance/actions.ts";
import { readCouncilState } from "../../api/scheme/governance/council-state.ts";
import { decodeCall, describeCall } from "../../api/scheme/governance/describe/describe-call.ts";
import { authorizationsAbi } from "../../deployments/abi/authorizations.ts";
import { certificatesAbi } from "../../deployments/abi/certificates.ts";
import { itmoAbi } from "../../deployments/abi/itmo.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { actionBody } from "./action.ts";
import { sendToNode } from "./guardian.ts";
import { openNode, type TrustedNode } from "./node.ts";
import type { Signer } from "./signer.ts";
import { RefusedError, UsageError, type Values } from "./usage.ts";

const caps = ["operator-cap", "pin-cap", "lifecycle-cap", "unconsented-cap", "itmo-daily-cap", "caps"] as const;
type CapAction = Extract<DelayedAction, { action: (typeof caps)[number] }>;

/** As in IParticipants.Party. */
const parties = ["implementer", "supplier", "household"] as const;

/** Lower a cap immediately, by the guardian's transaction. The description is that of the council's action with that name. */
export async function lowerCap(values: Values, words: string[], openSigner: () => Promise<Signer>): Promise<void> {
  const action = readCapAction(words);
  const node = await nodeOf(values);
  const { client, deployment } = node;
  const state = await readCouncilState(client, deployment.contracts);
  const context = { chainId: deployment.chainId, contracts: deployment.contracts, state, operations: {} };
  const { calls, problems } = planAction(action, context);
  const decoded = calls[0] && decodeCall(calls[0], context);
  if (calls[0] === undefined || decoded === undefined || problems.length > 0) {
    throw new RefusedError(problems.map(({ message }) => message).join("\n"));
  }
  const contract = decoded.contract as keyof typeof abis;
  // The guardian has a separate function for each cap; for a plan's cap both share one function, which checks the caller.
  const functionName =
    action.action === "unconsented-cap" ? decoded.functionName : decoded.functionName.replace("set", "lower");
  const data = encodeFunctionData({ abi: abis[contract] as Abi, functionName, args: decoded.args });
  const { text: title } = describeCall(calls[0], context);
  await sendToNode(node, values, await openSigner(), { contract, data, title });
}

/** Drop a new account that waits for a party, by the guardian's own transaction. */
export async function dropAccount(values: Values, words: string[], openSigner: () => Promise<Signer>): Promise<void> {
  const [kind = "", party = "", ...more] = words;
  const number = parties.indexOf(kind as (typeof parties)[number]);
  if (number < 0 || party === "" || more.length > 0) {
    throw new UsageError("drop-account needs implementer, supplier or household, and the party's DID or its number.");
  }
  const node = await nodeOf(values);
  const index = await partyIndex(node, kind, party);
  const args = [number, index] as const;
  const data = encodeFunctionData({ abi: participantsAbi, functionName: "dropAccount", args });
  const title = `Drop the new account that waits for ${kind} ${index}`;
  await sendToNode(node, values, await openSigner(), { contract: "participants", data, title });
}

/** Veto the revocation of a certificate, by the guardian's own transaction. */
export async function vetoRevocation(
  values: Values,
  words: string[],
  openSigner: () => Promise<Signer>,
): Promise<void> {
  const [certificateId = "", ...more] = words;
  const { reason = "" } = values;
  if (certificateId === "" || more.length > 0 || reason === "") {
    throw new UsageError("veto-revocation needs the certificate's id, and --reason TEXT, which everybody can read.");
  }
  const node = await nodeOf(values);
  const at = { address: node.deployment.contracts.certificates, abi: certificatesAbi } as const;
  const args = [keccak256(stringToHex(certificateId))] as const;
  const index = await node.client.readContract({ ...at, functionName: "certificateIndex", args });
  if (index === 0) throw new RefusedError(`There is no certificate ${certificateId}.`);
  const data = encodeFunctionData({ abi: certificatesAbi, functionName: "vetoRevocation", args: [index, reason] });
  const title = `Veto the revocation of certificate ${certificateId}: ${reason}`;
  await sendToNode(node, values, await openSigner(), { contract: "certificates", data, title });
}

/** Veto the reduction or revocation of an authorization, by the guardian's own transaction. */
export async function vetoReduction(values: Values, words: string[], openSigner: () => Promise<Signer>): Promise<void> {
  const [authorizationId = "", ...more] = words;
  const { reason = "" } = values;
  if (authorizationId === "" || more.length > 0 || reason === "") {
    throw new UsageError("veto-reduction needs the authorization's id, and --reason TEXT, which everybody can read.");
  }
  const node = await nodeOf(values);
  const at = { address: node.deployment.contracts.itmo, abi: itmoAbi } as const;
  const args = [keccak256(stringToHex(authorizationId))] as const;
  const index = await node.client.readContract({ ...at, functionName: "authorizationIndex", args });
  if (index === 0) throw new RefusedError(`There is no authorization ${authorizationId}.`);
  const data = encodeFunctionData({ abi: authorizationsAbi, functionName: "veto", args: [index, reason] });
  const title = `Veto the last reduction or revocation of authorization ${authorizationId}: ${reason}`;
  await sendToNode(node, values, await openSigner(), { contract: "authorizations", data, title });
}

function readCapAction(words: string[]): CapAction {
  if (!caps.some((name) => name === words[0])) {
    throw new UsageError(`lower needs the name of a cap: ${caps.join(", ")}.`);
  }
  const body = actionBody(words);
  const read = delayedAction.safeParse(parseJsonBody(Buffer.from(JSON.stringify(body))));
  if (read.success) return read.data as CapAction;
  const details = zodDetails(read.error).map(({ path, message }) => `${path}: ${message}`);
  throw new RefusedError(details.join("\n"));
}

/** The guardian's actions need no service, so that none can delay them. */
async function nodeOf(values: Values): Promise<TrustedNode> {
  const node = await openNode(values);
  if (node === undefined) throw new UsageError("--rpc is needed: the guardian sends its transaction to a node.");
  return node;
}

async function partyIndex({ client, deployment }: TrustedNode, kind: string, party: string): Promise<number> {
  if (/^[1-9]\d{0,9}$/.test(party)) return Number(party);
  if (kind === "household") {
    throw new UsageError("The chain knows a household by its number alone: name that, not its DID.");
  }
  const functionName = kind === "supplier" ? "supplierIndex" : "implementerIndex";
  const at = { address: deployment.contracts.participants, abi: participantsAbi } as const;
  const index = await client.readContract({ ...at, functionName, args: [keccak256(stringToHex(party))] });
  if (index === 0) throw new RefusedError(`There is no ${kind} ${party}.`);
  return index;
}
