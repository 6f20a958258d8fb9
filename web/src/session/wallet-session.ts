import { calculateJwkThumbprintUri } from "jose";
import { createSiweMessage } from "viem/siwe";
import { request } from "../api/request.ts";
import { serverNow } from "../api/server-time.ts";
import { createProofKey, forgetProofKey, type ProofKey } from "./proof-keys.ts";
import { begin, changeKey, type KeyHolder, leaveFormer, type Standing, session } from "./session.ts";
import { type FoundWallet, openWallet, signMessage, switchChain } from "./wallet.ts";

type Nonce = { nonce: string; version: "1"; chainId: number };
type Created = Standing & { token: string };
type Signing = { address: `0x${string}`; nonce: Nonce; proof: ProofKey; statement: string };

/**
 * Sign in with a wallet's account: it signs a message that names this site, the chain and a key pair of this browser, and the
 * API answers with a session for what the account is on chain. `statement` is what the wallet shows to its owner.
 * @throws WalletError when its owner refuses; ApiError with every reason for which the API does
 */
export async function signInWithWallet(found: FoundWallet, statement: string): Promise<void> {
  const wallet = await openWallet(found);
  const nonce = await request<Nonce>("POST", "/v1/sessions/nonces", { anonymous: true });
  await switchChain(found.provider, nonce.chainId);
  const proof = await createProofKey();
  try {
    const message = await messageOf({ address: wallet.address, nonce, proof, statement });
    const signature = await signMessage(found.provider, wallet.address, message);
    const body = { message, signature, publicJwk: proof.publicJwk };
    const { token, ...standing } = await request<Created>("POST", "/v1/sessions", { body, anonymous: true });
    const holder = await request<KeyHolder>("GET", "/v1/keys/self", { key: { token, proof } });
    await leaveFormer(holder);
    begin({ key: { token, holder, proof, standing: standingOf(standing) }, wallet }, false);
  } catch (error) {
    await forgetProofKey(proof);
    throw error;
  }
}

/** Act as something else that the account is. @throws ApiError */
export async function actAs(choice: { actsAs: string; did: string | null }): Promise<void> {
  const body = { actsAs: choice.actsAs, ...(choice.did === null ? {} : { did: choice.did }) };
  const standing = await request<Standing>("PATCH", "/v1/sessions/self", { body });
  const holder = await request<KeyHolder>("GET", "/v1/keys/self");
  changeKey({ holder, standing: standingOf(standing) });
}

/** Ask what the account is now, and take it over. @throws ApiError */
export async function refreshStanding(signal: AbortSignal): Promise<Standing> {
  const standing = standingOf(await request<Standing>("GET", "/v1/sessions/self", { signal }));
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
