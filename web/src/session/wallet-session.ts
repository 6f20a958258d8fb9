import { calculateJwkThumbprintUri } from "jose";
import { createSiweMessage } from "viem/siwe";
import type { Schemas } from "../../../wire/src/routes.ts";
import { clientWith, hearth } from "../api/client.ts";
import { serverNow } from "../api/server-time.ts";
import { createProofKey, forgetProofKey, type ProofKey } from "./proof-keys.ts";
import { begin, changeKey, clearOtherHolder, type Standing, session } from "./session.ts";
import { type FoundWallet, openWallet, signMessage, switchChain } from "./wallet.ts";

type Nonce = Schemas["SignInNonce"];
type Signing = { address: `0x${string}`; nonce: Nonce; proof: ProofKey; statement: string };

/**
 * Sign in with a wallet's account. It signs a message that names this site, the chain and a key pair of this browser;
 * the API returns a session with the account's roles on chain.
 *
 * @param statement text that the wallet shows to its owner
 * @throws WalletError when its owner refuses; ApiError with every reason for a refusal by the API
 */
export async function signInWithWallet(found: FoundWallet, statement: string): Promise<void> {
  const wallet = await openWallet(found);
  const anonymous = clientWith({ key: null });
  const nonce = await anonymous.post("/v1/sessions/nonces");
  await switchChain(found.provider, nonce.chainId);
  const proof = await createProofKey();
  try {
    const message = await messageOf({ address: wallet.address, nonce, proof, statement });
    const signature = await signMessage(found.provider, wallet.address, message);
    const body = { message, signature, publicJwk: proof.publicJwk };
    const { token, ...standing } = await anonymous.post("/v1/sessions", { body });
    const holder = await clientWith({ key: { token, proof } }).get("/v1/keys/self");
    await clearOtherHolder(holder);
    begin({ key: { token, holder, proof, standing: standingOf(standing) }, wallet }, false);
  } catch (error) {
    await forgetProofKey(proof);
    throw error;
  }
}

/** Act in another role of the account. @throws ApiError */
export async function actAs(choice: Schemas["Standing"]): Promise<void> {
  const body = { actsAs: choice.actsAs, ...(choice.did === null ? {} : { did: choice.did }) };
  const standing = await hearth.patch("/v1/sessions/self", { body });
  const holder = await hearth.get("/v1/keys/self");
  changeKey({ holder, standing: standingOf(standing) });
}

/** Read the account's roles again, and update the session. @throws ApiError */
export async function refreshStanding(signal: AbortSignal): Promise<Standing> {
  const standing = standingOf(await hearth.get("/v1/sessions/self", { signal }));
  if (JSON.stringify(standing) !== JSON.stringify(session().key?.standing)) changeKey({ standing });
  return standing;
}

function standingOf({ actsAs, did, inForce, standings, expiresAt }: Standing): Standing {
  return { actsAs, did, inForce, standings, expiresAt };
}

async function messageOf({ address, nonce: { nonce, version, chainId }, proof, statement }: Signing) {
  const { host, origin } = window.location;
  return createSiweMessage({
    ...{ address, nonce, version, chainId, statement },
    domain: host,
    uri: origin,
    issuedAt: new Date(serverNow()),
    resources: [await calculateJwkThumbprintUri(proof.publicJwk)],
  });
}
