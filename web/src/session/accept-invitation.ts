import { clientWith } from "../api/client.ts";
import { canUsePasskeys, passkeyOffer } from "./can-use-passkeys.ts";
import { signInWithKey } from "./holder.ts";
import { provePossession } from "./proof.ts";
import { createProofKey, type ProofKey } from "./proof-keys.ts";
import { keep, kept } from "./vault.ts";

/** Storage name of the pair that accepts: if the answer is lost, only the same pair may accept again. */
const pending = "invited";
type Invited = { token: string; proof: ProofKey };

/** Whether this device has sent an acceptance of the invitation and got no answer: then it may send it again. */
export function hasUnansweredAcceptance(token: string): boolean {
  return kept<Invited>(pending)?.token === token;
}

/**
 * Accept an invitation with a key pair of this device, and sign in with the new key. The key stays on this device.
 *
 * @throws HearthError NOT_FOUND when the invitation was used, revoked or has expired
 */
export async function acceptInvitation(token: string): Promise<void> {
  const before = kept<Invited>(pending);
  const proof = before?.token === token ? before.proof : await createProofKey();
  keep(pending, { token, proof } satisfies Invited);
  const url = new URL("/v1/invitations/accept", window.location.origin);
  const dpop = await provePossession(proof, { token, method: "POST", url });
  if (dpop === undefined) {
    // The browser's site data was deleted with the pair.
    keep(pending, undefined);
    return await acceptInvitation(token);
  }
  const { key } = await clientWith({ key: null }).post("/v1/invitations/accept", {
    body: { token, publicJwk: proof.publicJwk },
    headers: { dpop },
  });
  keep(pending, undefined);
  // The console's first page, so that a reload does not show the used invitation.
  window.history.replaceState(null, "", "/console/");
  if (canUsePasskeys()) keep(passkeyOffer, true);
  await signInWithKey({ token: key, proof }, true);
}
