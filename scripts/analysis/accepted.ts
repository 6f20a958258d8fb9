// Each accepted finding with its reason in one list, where reviewers see all of them; solhint accepts by comments in the contracts.

/** A finding that was reviewed and accepted. `where` is as in the finding. */
export type Accepted = { rule: string; where: string; why: string };

const ownContracts =
  "Certificates is ours, immutable, and calls back nobody; it is called first because its verdict decides what is written";

export const accepted: readonly Accepted[] = [
  {
    rule: "open-to-anyone",
    where: "Campaigns.reveal",
    why: "anyone may; only a secret that a party committed to is accepted, and the seed is the same for any caller",
  },
  {
    rule: "open-to-anyone",
    where: "Campaigns.postponeDraw",
    why: "anyone may; only when the hash of the draw's block is out of reach and no secret was revealed",
  },
  {
    rule: "open-to-anyone",
    where: "Campaigns.repeatDraw",
    why: "anyone may; only a day after the opening, when a party has not revealed its secret",
  },
  {
    rule: "open-to-anyone",
    where: "Claims.settleDrawn",
    why: "anyone may; the hash of a block that was fixed when the claim was filed decides, and the supplier is paid",
  },
  ...["schedule", "scheduleBatch"].map((name) => ({
    rule: "open-to-anyone" as const,
    where: `CouncilTimelock.${name}`,
    why: "OpenZeppelin's function, called first, asks for the proposer's role",
  })),
  {
    rule: "open-to-anyone",
    where: "PartyAccounts.finaliseAccount",
    why: "anyone may; who proposed and confirmed the account, and the day that has passed, decide",
  },
  {
    rule: "open-to-anyone",
    where: "RedemptionCare.lapse",
    why: "anyone may; the deadline decides, and the amount goes back where it came from",
  },
  {
    rule: "open-to-anyone",
    where: "VoucherCare.sweep",
    why: "anyone may; the voucher's end decides, and its rest goes to the pool's reserve",
  },
  {
    rule: "open-to-anyone",
    where: "VoucherCare.burnRevoked",
    why: "anyone may; the certificate is revoked for ever, and the proof decides what is burned",
  },
  { rule: "open-to-anyone", where: "VoucherIssue.open", why: "anyone may; the Merkle proof decides what is opened" },
  {
    rule: "open-to-anyone",
    where: "Pool.takeIn",
    why: "anyone may; it counts what has arrived, and nothing leaves",
  },
  ...["cancelRevoked", "release"].flatMap((name) => [
    {
      rule: "open-to-anyone" as const,
      where: `InvalidationBuffer.${name}`,
      why: "anyone may; the rule alone decides what is cancelled or goes back to its Party",
    },
    {
      rule: "effect-after-call" as const,
      where: `InvalidationBuffer.${name}`,
      why: "Itmo is ours, immutable, and calls nobody when it does this; each lot is marked before the call",
    },
  ]),
  {
    rule: "block-randomness",
    where: "BlockHashes.hashOf",
    why: "a block that was named before it was built draws, see ICampaigns and IClaims",
  },
  {
    rule: "effect-after-call",
    where: "Itmo.requestConversionFor",
    why: "the permit is CARBON's own, which is ours and calls back nobody; the nonce is taken before it",
  },
  {
    rule: "effect-after-call",
    where: "Itmo.finalise",
    why: "Authorizations and the buffer are ours, immutable, and call nobody; a first transfer is marked before the call",
  },
  { rule: "effect-after-call", where: "RedemptionCare.settle", why: ownContracts },
  { rule: "effect-after-call", where: "VoucherCare.reissue", why: ownContracts },
  { rule: "effect-after-call", where: "VoucherIssue.issue", why: ownContracts },
  { rule: "effect-after-call", where: "VoucherIssue.issueMany", why: ownContracts },
  { rule: "effect-after-call", where: "VoucherIssue.issueChunks", why: ownContracts },
  ...["_payOut", "_payRest"].map((name) => ({
    rule: "unchecked-return" as const,
    where: `Claims.${name}`,
    why: "the ledger itself charges the implementer for what it burned; only the pool has to know, in payThroughPool",
  })),
  {
    rule: "unbounded-loop",
    where: "SerialRanges.predecessorOf",
    why: "a view for those who ask from outside, to find the hint that bounds the walk of the insertion",
  },
];
