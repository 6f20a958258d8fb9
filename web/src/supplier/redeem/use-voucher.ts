import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { keep, kept } from "../../session/vault.ts";
import type { LedgerDomain } from "../household-authorization.ts";
import type { Voucher, VoucherProof } from "../records.ts";

const ledgerName = "supplier.ledger";

/** The voucher as the chain has it now. */
export function useVoucher(voucherId: string | undefined) {
  return useQuery({
    queryKey: ["supplier", "vouchers", voucherId],
    enabled: voucherId !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => request<Voucher>("GET", `/v1/vouchers/${encodeURIComponent(voucherId ?? "")}`, { signal }),
  });
}

/** Where households' signatures hold. It never changes within a deployment, so what was seen once serves without a network. */
export async function ledgerDomain(voucherId: string): Promise<LedgerDomain> {
  const known = kept<LedgerDomain>(ledgerName);
  if (known !== undefined) return known;
  const proof = await request<VoucherProof>("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}/proof`);
  const domain = { chainId: proof.chainId, verifyingContract: proof.contract };
  keep(ledgerName, domain);
  return domain;
}
