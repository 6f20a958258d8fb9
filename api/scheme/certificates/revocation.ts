import type { Chain } from "../../platform/chain/index.ts";

const MILLISECONDS_PER_DAY = 86_400_000;

/** The revocation of a certificate. Until `finalAt`, two UTC midnights after it, the guardian may veto it. */
export type Revocation = { finalAt: Date; isFinal: boolean };

/** Read the current revocation; null for a certificate that is not revoked, or whose revocation was vetoed. */
export async function readRevocation(
  { read, now }: Pick<Chain, "read" | "now">,
  certificate: number,
): Promise<Revocation | null> {
  const [day, seconds] = await Promise.all([read("vouchers", "revocationFinalFrom", [certificate]), now()]);
  if (day === 0) return null;
  const finalAt = new Date(day * MILLISECONDS_PER_DAY);
  return { finalAt, isFinal: Number(seconds) * 1000 >= finalAt.getTime() };
}
