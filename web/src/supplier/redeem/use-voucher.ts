import { useQuery } from "@tanstack/react-query";
import type { SigningContract } from "../../../../wire/src/typed-data.ts";
import { hearth } from "../../api/client.ts";
import { asHex } from "../../numbers/hex.ts";
import { keep, kept } from "../../session/vault.ts";

const ledgerName = "supplier.ledger";

/** The voucher in its current state on chain. */
export function useVoucher(voucherId: string | undefined) {
  return useQuery({
    queryKey: ["supplier", "vouchers", voucherId],
    enabled: voucherId !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => hearth.get("/v1/vouchers/{voucherId}", { path: { voucherId: voucherId ?? "" }, signal }),
  });
}

/** EIP-712 domain of households' signatures. It never changes within a deployment, so a stored copy works offline. */
export async function ledgerDomain(voucherId: string): Promise<SigningContract> {
  const known = kept<SigningContract>(ledgerName);
  if (known !== undefined) return known;
  const proof = await hearth.get("/v1/vouchers/{voucherId}/proof", { path: { voucherId } });
  const domain = { chainId: proof.chainId, verifyingContract: asHex(proof.contract) };
  keep(ledgerName, domain);
  return domain;
}
