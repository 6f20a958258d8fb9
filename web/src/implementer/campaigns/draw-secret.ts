import { hexOf } from "../../numbers/hex.ts";
import { keep, kept } from "../../session/vault.ts";
import type { Campaign } from "./records.ts";

type Round = Pick<Campaign, "campaignId" | "drawParties">;

const nameOf = ({ campaignId, drawParties }: Round) => `draw-secret.${campaignId}.${drawParties.round}`;

/** The secret of this session for a round of a draw; undefined when there is none. */
export function keptSecret(of: Round): `0x${string}` | undefined {
  return kept(nameOf(of));
}

/** The secret of this session for a round of a draw, made and stored when there is none: 32 random bytes. */
export function secretOf(of: Round): `0x${string}` {
  const known = keptSecret(of);
  if (known !== undefined) return known;
  const secret = `0x${hexOf(crypto.getRandomValues(new Uint8Array(32)))}` as const;
  keep(nameOf(of), secret);
  return secret;
}

/** Delete a secret that is public now. */
export function forgetSecret(of: Round): void {
  keep(nameOf(of), undefined);
}

/** Commitment to a secret, which only this account can reveal. */
export async function commitmentOf(secret: `0x${string}`, account: `0x${string}`): Promise<`0x${string}`> {
  const { encodeAbiParameters, keccak256, parseAbiParameters } = await import("viem");
  return keccak256(encodeAbiParameters(parseAbiParameters("bytes32, address"), [secret, account]));
}
