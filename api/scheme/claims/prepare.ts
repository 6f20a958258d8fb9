import { z } from "@hono/zod-openapi";
import { claimAttestation } from "../../../wire/src/typed-data.ts";
import { isoTime } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import {
  from,
  type PrepareAction,
  type PreparedTransaction,
  prepareAction,
  unsignedTransaction,
} from "../../platform/transactions/index.ts";
import { bytes32, identifier } from "../../platform/values/text.ts";
import type { ClaimDeps } from "./deps.ts";
import { presentedCredential } from "./schemas.ts";
import { checkClaim } from "./service.ts";

/** How long an attestation of a verified credential is valid, in seconds of chain time. */
const attestationSeconds = 3_600n;

const claim = z.strictObject({
  action: z.literal("claim"),
  redemptionId: identifier(128),
  verifiableCredential: presentedCredential,
});
const cancelAttestation = z.strictObject({
  action: z.literal("cancel-attestation"),
  from: from.openapi({ description: "The operator's account that signed the attestation." }),
  attestation: bytes32.openapi({ description: "The attestation's EIP-712 digest." }),
});

/** Define the delivery-claim actions that accounts sign. */
export function claimActions(deps: ClaimDeps): PrepareAction[] {
  return [
    prepareAction(claim, (ctx, input) => prepareClaim(deps, ctx, input)),
    prepareAction(cancelAttestation, (_ctx, input) => prepareCancelAttestation(deps, input)),
  ];
}

/**
 * Prepare the transaction of a supplier that claims itself. It contains an operator's attestation that the credential
 * is valid.
 */
async function prepareClaim(
  deps: ClaimDeps,
  ctx: RequestContext,
  input: z.infer<typeof claim>,
): Promise<PreparedTransaction> {
  const { chain } = deps;
  const { redemption, credentialHash } = await checkClaim(deps, ctx, input);
  const record = await chain.read("vouchers", "redemptionOf", [redemption]);
  const { account } = await chain.read("participants", "supplierOf", [record.supplier]);
  const validUntil = (await chain.now()) + attestationSeconds;
  const claims = { chainId: chain.id, verifyingContract: chain.addresses.claims };
  const attestation = claimAttestation(claims, { redemption, credentialHash, validUntil });
  const signature = await chain.senders.operator.signTypedData(attestation);
  const args = [redemption, credentialHash, validUntil, signature];
  const call = { from: account, contract: "claims", functionName: "claimWithAttestation", args } as const;
  return { ...(await unsignedTransaction(deps.chain, call)), validUntil: isoTime(validUntil) };
}

function prepareCancelAttestation(
  deps: ClaimDeps,
  { from, attestation }: z.infer<typeof cancelAttestation>,
): Promise<PreparedTransaction> {
  const call = { from, contract: "claims", functionName: "cancelAttestation", args: [attestation] } as const;
  return unsignedTransaction(deps.chain, call);
}
