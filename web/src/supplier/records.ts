import type { Decimal } from "../api/numbers.ts";

/** What the supplier's pages read of the API's answers. Amounts are exact decimal text or whole numbers. */
export type Voucher = {
  id: string;
  status: "active" | "exhausted" | "suspended" | "cancelled" | "expired";
  emissionCertificateId: string;
  value: Decimal;
  remainingBalance: Decimal;
  attributes: { batchId: string; issuanceDate: string; expiryDate: string };
};

export type Product = {
  productId: string;
  status: "pending" | "approved" | "withdrawn";
  name: string;
  unit: string;
  maxAmountPerRedemption: Decimal | null;
  index: number;
};

export type Redemption = {
  redemptionId: string;
  voucherId: string;
  supplierDid: string;
  productId: string;
  amount: Decimal;
  status: string;
  consent: "none" | "pin" | "code" | "signature";
  flagged: boolean;
  redeemedAt: string;
  claimDeadline: string;
  transactionHash: string;
};

export type Claim = {
  id: string;
  redemptionId: string;
  voucherId: string;
  productId: string;
  status: string;
  reason?: string;
  carbonAmount: Decimal;
  settlement: {
    asset: "stablecoin" | "CARBON";
    amount: Decimal;
    setOff?: Decimal;
    reason?: string;
    account: string;
    transactionHash: string;
  } | null;
  filedAt: string;
  transactionHash: string;
};

export type VoucherProof = { chainId: number; contract: string };
