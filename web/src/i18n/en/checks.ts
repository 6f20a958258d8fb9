/** What each check of double counting and of the pool proves, by its id. */
export const checks = {
  "certificate-over-issue": "No certificate has allocated or issued more than its verified reduction",
  "vouchers-within-certificate":
    "The vouchers of a certificate, spent and unspent, do not exceed its verified reduction",
  "issued-within-verified": "All issued vouchers together do not exceed all verified reductions",
  "revoked-debts-paid": "Every implementer has paid its debts for revoked certificates, also those to the pool",
  "overlapping-serials": "No two certificates of a registry share a serial",
  "credential-reuse": "No credential is used for two certificates, claims or measurements",
  "campaign-certified-once": "No certificate comes from two campaigns",
  "voucher-overspent": "A voucher’s balance plus what was spent does not exceed its value",
  "payment-settles-claim": "Every payment pays one claim of one redemption, with the claim’s amount",
  "carbon-supply":
    "CARBON minted minus burned equals what escrow, pool, conversions and holders have, and no balance is negative",
  "carbon-minted-as-issued":
    "The CARBON of a certificate, in escrow or released, does not exceed its verified reduction",
  "conversion-burned-once":
    "The CARBON of each finalised conversion was burned once and completely, and no other CARBON was burned",
  "underlying-units-claimed-once":
    "The ITMOs from a certificate’s CARBON do not exceed its verified reduction, and each conversion equals the sum of its sources",
  "lots-of-vintage":
    "Each conversion took its amount from certificates of its vintage, and from no certificate more than was paid for or swept",
  "authorised-quantity": "Conversions under an authorization do not exceed its quantity",
  "reductions-kept": "First transfers stay within what reductions and revocations left of the authorization",
  "mandatory-shares":
    "Every authorization under Article 6.4 gives at least the mandatory shares for OMGE and adaptation",
  "units-authorised": "Every block and every action has an authorization of its cooperative approach",
  "using-entities-authorised": "Every entity that used or cancelled ITMOs is named in the authorization",
  "use-year-in-ndc-period": "Every use towards an NDC names a year of the NDC period",
  "used-vintage-in-ndc-period": "The vintage of units used towards an NDC is a year of that NDC’s period",
  vintage: "No vintage is in the future or outside the authorized period",
  "itmo-range-overlap": "No two ITMO blocks of a registry share a serial",
  "itmo-ranges-conserved": "The blocks of a conversion contain exactly its serials",
  "consumed-still-held": "Nobody holds units that were used, cancelled or given to the Adaptation Fund",
  "itmo-used-once": "No unit was used, cancelled or given away twice",
  "first-transfer-once": "Every first transfer is recorded once, and every part of the block keeps the record",
  "holdings-follow-blocks": "Every held block is counted once in the holdings, for its Party, and no other block is",
  "block-attributes": "Approach, authorization, Party, registry and vintage of a block never change",
  "carbon-held": "The pool’s CARBON balance is at least what its accounts show",
  "stablecoin-held": "The pool’s stablecoin balance is at least what its accounts show",
  "obligations-covered": "The pool’s stablecoin is enough to pay for all CARBON in escrow",
};
