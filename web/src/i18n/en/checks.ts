/** What each check of double counting and of the pool says, by its id. */
export const checks = {
  "certificate-over-issue": "No certificate has more allocated or issued than it verifies",
  "vouchers-within-certificate":
    "What a certificate’s vouchers have spent and may still spend is within what it verifies",
  "issued-within-verified": "All that was issued is within all that was verified",
  "revoked-debts-paid":
    "Every implementer has paid what its revoked certificates issued, and what the pool went without",
  "overlapping-serials": "No two certificates of a registry share a serial",
  "credential-reuse": "No credential stands behind two certificates, claims or measurements",
  "campaign-certified-once": "No certificate is made of two campaigns",
  "voucher-overspent": "What a voucher has left and what was spent of it are within its value",
  "payment-settles-claim": "Every payment settles one claim of one redemption, for its amount",
  "carbon-supply":
    "CARBON minted less burned is what escrow, pool, conversions and holders have, and no account has less than nothing",
  "carbon-minted-as-issued": "CARBON in escrow and released of a certificate is within what it verifies",
  "conversion-burned-once": "A finalised conversion’s CARBON was burned once and whole, and no other was",
  "underlying-units-claimed-once":
    "The ITMOs of a certificate’s CARBON are within what it verifies, and each conversion’s sources add up to it",
  "authorised-quantity": "What was converted under an authorization is within the quantity that it authorizes",
  "units-authorised": "Every block and every action is under an authorization of its approach",
  "using-entities-authorised": "Every entity that used or cancelled is one that the authorization names",
  "use-year-in-ndc-period": "Every use towards an NDC names a year of the NDC period",
  vintage: "No vintage lies in the future or outside the authorized timeframe",
  "itmo-range-overlap": "No two ITMO blocks of a registry share a serial",
  "itmo-ranges-conserved": "The blocks of a conversion are exactly the serials that it was given",
  "consumed-still-held": "What was used, cancelled or given to the Adaptation Fund is held by nobody",
  "itmo-used-once": "No unit was used, cancelled or given away twice",
  "first-transfer-once": "Every first transfer is recorded once, and its mark stays with every part",
  "holdings-follow-blocks": "Every held block is held once, by its Party, and nothing else is",
  "block-attributes": "Approach, authorization, Party, registry and vintage of a block never change",
  "carbon-held": "The pool holds the CARBON that it counts",
  "stablecoin-held": "The pool holds the stablecoin that it counts",
  "obligations-covered": "Counted stablecoin pays for all CARBON in escrow",
};
