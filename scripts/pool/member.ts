import type { ContextJson } from "../../api/scheme/governance/context-json.ts";
import type { ProposalResponse, ToSign } from "../../api/scheme/governance/schemas.ts";
import { contextOf, openNode } from "./node.ts";
import { jsonOf, printProposal, printToSign } from "./print.ts";
import { type Reviewed, review } from "./review.ts";
import type { Service } from "./service.ts";
import { confirm, type Signer } from "./signer.ts";
import { RefusedError, UsageError, type Values } from "./usage.ts";

/**
 * Have a member sign for a route: request the transaction, derive its description again, show it, sign, send. With a key
 * elsewhere, print what it has to sign, or send the signatures that it made.
 */
export async function signAndSend(
  service: Service,
  values: Values,
  { path, body, signer }: { path: string; body: Record<string, unknown>; signer: Signer },
): Promise<void> {
  const more = Object.fromEntries(
    (["nonce", "salt"] as const).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  if (values.salt !== undefined && path !== "/proposals") throw new UsageError("--salt is for propose.");
  const { status, body: answer } = await service<ToSign | ProposalResponse>("POST", path, { ...body, ...more });
  if (status !== 200 || !("typedData" in answer)) throw new RefusedError("The service did not say what to sign.");
  const asked = answer as ToSign;
  const node = await openNode(values);
  const reviewed = review(asked, await contextOf(node, asked.context as unknown as ContextJson));
  printToSign(reviewed, asked, node?.url);
  const signatures = await signaturesOf(reviewed, signer, values);
  if (signatures === undefined) return;
  // Send exactly what was shown, with its nonce and salt.
  const again = { ...body, ...(path === "/proposals" ? { salt: asked.salt } : {}), nonce: asked.nonce, ...signatures };
  const sent = await service<ProposalResponse>("POST", path, again);
  printProposal(sent.body, values);
}

async function signaturesOf({ safeTx, words }: Reviewed, { account, address }: Signer, values: Values) {
  if (account === undefined) {
    const [signature, statementSignature] = [values.signature, values["statement-signature"]];
    if (signature !== undefined && statementSignature !== undefined) return { signature, statementSignature };
    if (signature !== undefined || statementSignature !== undefined) {
      throw new UsageError("Both --signature and --statement-signature are needed.");
    }
    console.log(`\n1. ${address} signs this (eth_signTypedData_v4), for --signature:\n${jsonOf(safeTx)}`);
    console.log(`\n2. and this, for --statement-signature:\n${jsonOf(words)}`);
    return undefined;
  }
  if (!(await confirm(`Sign as ${address}?`, values))) throw new RefusedError("Nothing was signed.");
  return {
    signature: await account.signTypedData(safeTx),
    statementSignature: await account.signTypedData(words),
  };
}
