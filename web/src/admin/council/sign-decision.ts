import { t } from "i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { sendInOrder } from "../../session/send-transactions.ts";
import { session } from "../../session/session.ts";
import { signTypedData } from "../../session/wallet.ts";
import { WalletError } from "../../session/wallet-error.ts";

type ToSign = Schemas["ApprovalToSign"];
type Signatures = { signature: `0x${string}`; statementSignature: `0x${string}` };
/** An action with its fields, as POST /v1/pool/proposals takes it. */
export type CouncilAction = { action: string } & Record<string, unknown>;

function signer(): string {
  const { wallet } = session();
  if (wallet === undefined) throw new WalletError("absent");
  return wallet.address;
}

/** Propose a decision: the wallet signs its transaction and its words. @throws WalletError, HearthError */
export async function propose(action: CouncilAction): Promise<void> {
  const body = { ...action, proposer: signer() } as never;
  const asked = await hearth.post("/v1/pool/proposals", { body });
  if (!("typedData" in asked)) return;
  const { salt, nonce } = asked;
  const signatures = await signBoth(asked);
  await hearth.post("/v1/pool/proposals", { body: { ...(body as object), salt, nonce, ...signatures } as never });
}

/** Approve a proposal. @throws WalletError, HearthError */
export async function approve(id: string): Promise<void> {
  const body = { signer: signer() };
  const asked = await hearth.post("/v1/pool/proposals/{id}/approvals", { path: { id }, body });
  if (!("typedData" in asked)) return;
  const { nonce } = asked;
  const signatures = await signBoth(asked);
  await hearth.post("/v1/pool/proposals/{id}/approvals", { path: { id }, body: { ...body, nonce, ...signatures } });
}

/**
 * Cancel a proposal: the guardian by a transaction, its proposer by a signature, a member by a decision of the council.
 *
 * @throws WalletError, HearthError
 */
export async function cancel(id: string): Promise<void> {
  const by = signer();
  const send = (more: object) => hearth.post("/v1/pool/proposals/{id}/cancel", { path: { id }, body: { by, ...more } });
  const asked = await send({});
  if ("transaction" in asked) await sendInOrder([asked.transaction]);
  else if ("statement" in asked) await send({ nonce: asked.nonce, ...(await signBoth(asked)) });
  else if ("typedData" in asked) await send({ signature: await signTypedData(asked.typedData) });
}

/** Pause the pool by the guardian's transaction. @throws WalletError, HearthError */
export async function pausePool(): Promise<void> {
  const asked = await hearth.post("/v1/pool/pause", { body: { from: signer() } });
  if ("transaction" in asked) await sendInOrder([asked.transaction]);
}

/**
 * Let the wallet sign a decision's transaction, and the statement that names this transaction in words.
 *
 * @throws Error when the statement is about another transaction
 */
async function signBoth({ typedData, statement }: ToSign): Promise<Signatures> {
  const { hashTypedData } = await import("viem");
  const hash = hashTypedData(typedData as Parameters<typeof hashTypedData>[0]);
  if (statement.message.safeTxHash !== hash) throw new Error(t("admin.council.unsound"));
  return { signature: await signTypedData(typedData), statementSignature: await signTypedData(statement) };
}
