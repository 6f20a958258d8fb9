import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

export const vouchers = defineOraclePlugin<Services>({
  name: "vouchers",
  version: "1.0.0",
  manifest: {
    title: "Vouchers",
    summary: "Issues, redeems and shows vouchers in the user's name, as its role in the scheme allows.",
    whenToUse: [
      "when the user asks about a voucher (VCHR-…) or a redemption (REDM-…)",
      "when an implementer wants to issue a voucher, or a supplier to redeem one",
    ],
    examples: ["What is left on VCHR-…?", "Redeem 20.5 of VCHR-… for product STOVE-1."],
    tags: ["vouchers", "redemptions", "redeem", "issue", "balance"],
    category: "integration",
  },
  getTools: ({ services }) =>
    services.facade.tools([
      { name: "get_voucher", method: "GET", path: "/v1/vouchers/{voucherId}" },
      { name: "list_vouchers", method: "GET", path: "/v1/vouchers" },
      { name: "get_voucher_history", method: "GET", path: "/v1/vouchers/{voucherId}/history" },
      { name: "issue_voucher", method: "POST", path: "/v1/vouchers/issue", destructive: true },
      {
        name: "redeem_voucher",
        method: "POST",
        path: "/v1/vouchers/redeem",
        destructive: true,
        description: "Amounts are CARBON with at most 6 decimals.",
      },
      { name: "get_redemption", method: "GET", path: "/v1/redemptions/{redemptionId}" },
      { name: "list_redemptions", method: "GET", path: "/v1/redemptions" },
      { name: "reverse_redemption", method: "POST", path: "/v1/redemptions/{redemptionId}/reverse", destructive: true },
    ]),
});
