/** A contract that is broken on purpose, and the tests of which at least one must fail. */
export type Mutant = {
  /** The fault. */
  name: string;
  /** Below contracts/. */
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  /** Below test/contracts/. */
  tests: string[];
};

type Change = [name: string, from: string, to: string];

const of = (file: string, tests: string[], changes: Change[]): Mutant[] =>
  changes.map(([name, from, to]) => ({ name, file, from, to, tests }));

const redeemTests = ["vouchers/redeem.ts", "vouchers/redeem-many.ts", "vouchers/known-verdicts.ts"];
const consentTests = ["vouchers/consent.ts"];
const careTests = ["vouchers/care.ts", "vouchers/redemptions.ts"];
const claimTests = ["claims/claims.ts", "claims/review.ts"];
const poolTests = ["pool/pool.ts", "pool/buying.ts"];
const oracleTests = ["oracles/registry.ts", "oracles/payments.ts"];
const debtTests = ["certificates/revocation.ts"];
const reductionTests = ["itmo/authorizations.ts"];
const bufferTests = ["itmo/buffer.ts"];
const itmoTests = ["itmo/conversions.ts", "itmo/life.ts", "itmo/registry.ts"];

export const mutants: Mutant[] = [
  ...of("vouchers/VoucherRedeem.sol", redeemTests, [
    [
      "a redemption may exceed the balance",
      "rules |= RedemptionRules.ruleIf(RedemptionRules.AMOUNT_WITHIN_BALANCE, amount > remaining);",
      "",
    ],
    [
      "a voucher ends a day early",
      "ruleIf(RedemptionRules.VOUCHER_NOT_EXPIRED, today > word",
      "ruleIf(RedemptionRules.VOUCHER_NOT_EXPIRED, today >= word",
    ],
    ["a household's nonce settles again", "_usedNonces[household][authorization.nonce] = redemption;", ""],
    [
      "a voucher of a halted certificate is spent",
      "ruleIf(RedemptionRules.VOUCHER_ACTIVE, isHalted)",
      "ruleIf(0, isHalted)",
    ],
    ["a verdict is kept without its plan", " | (uint256(plan) << 1) | 1;", " | 1;"],
    ["a known verdict outlives a change", "if (isPermitted && allowance.isOfVersion(terms))", "if (isPermitted)"],
    [
      "a known verdict permits every caller",
      "if (isPermitted && allowance.isOfVersion(terms))",
      "if (allowance.isOfVersion(terms))",
    ],
    ["a known verdict holds for every product", "if (allowance.isOn(product, plan))", "if (true)"],
    [
      "a consent overrides a supplier's suspension",
      "rules &= ~CHECKED_RULES;",
      "rules &= ~(CHECKED_RULES | RedemptionRules.SUPPLIER_AUTHORISED);",
    ],
    [
      "a consent in a batch expires a second early",
      "if (authorization.deadline < block.timestamp)",
      "if (authorization.deadline <= block.timestamp)",
    ],
  ]),
  ...of("vouchers/VoucherRedeem.sol", consentTests, [
    [
      "what is redeemed without consent is not counted",
      "if (isCounted) allowance.word = isPin ? used : used | known;",
      "",
    ],
    ["anyone may state a PIN", "? _holdsRole(Roles.OPERATOR, msg.sender)", "? true"],
    [
      "a PIN meets the scheme's requirement",
      "isCounted = isPin || consent == Consent.None",
      "isCounted = consent == Consent.None",
    ],
    ["a consent that names no level holds", ": consent != Consent.None && _isSigned", ": _isSigned"],
    [
      "anyone cancels a household's authorisation",
      "require(msg.sender == PARTICIPANTS.householdAccount(household), NotPermitted(msg.sender));",
      "",
    ],
  ]),
  ...of("vouchers/Consents.sol", consentTests, [
    ["a code's nonce is free", "|| authorization.nonce != uint160(key)", ""],
    ["a code holds for every household", "abi.encode(household, key)", "abi.encode(uint32(1), key)"],
  ]),
  ...of("vouchers/VoucherIssue.sol", consentTests, [
    ["codes are committed again", "_issuedLast = 0;", ""],
    ["codes are committed at any time", "require(voucher != 0, NothingToCommitTo());", ""],
    ["a batch begins new codes", "if (first == 0) {", "{"],
    ["only the first batch's codes are announced", "while (++batch <= _totals.batchCount)", "while (false)"],
  ]),
  ...of("vouchers/VoucherSlot.sol", consentTests, [
    ["each batch has codes alone", "return batch - uint16(template >> 48);", "return batch;"],
  ]),
  ...of("vouchers/VoucherCare.sol", consentTests, [
    ["a reissue loses the codes", "if (codes != 0) _commitCodes(replacement, codes);", ""],
    ["a reissue makes up codes", "if (codes != 0) _commitCodes(", "_commitCodes("],
  ]),
  ...of("shared/DayBucket.sol", consentTests, [
    ["an allowance lets more out", "if (whole > time + DAY) return 0;", ""],
    ["an allowance lets one more out", "if (whole > time + DAY)", "if (whole > time + DAY + DAY / size)"],
    ["a whole allowance is saved up", "whole = bucket > time ? bucket : time;", "whole = bucket;"],
  ]),
  ...of("vouchers/VoucherCare.sol", careTests, [
    [
      "a sweep before the voucher's end",
      "require(_today() > record.expiryDay,",
      "require(_today() >= record.expiryDay,",
    ],
    ["a voucher of a suspended certificate is swept", "? type(uint24).max", "? _sweepDay()"],
    ["a certificate's grace is forgotten", ": _sweepDay();", ": 0;"],
    [
      "an expired voucher is lost before it may be swept",
      "_today() < sweepableFrom(voucher)",
      "_today() <= record.expiryDay",
    ],
    ["a voucher is swept within the grace", "require(_today() >= firstDay,", "require(_today() + 1 >= firstDay,"],
    ["a reissue may be shorter than the rest", "startDay <= latestStart && expiryDay >= earliestExpiry", "true"],
    ["vouchers are swept while paused", "require(!IPool(POOL).paused(), LifecyclePaused());", ""],
    [
      "a swept voucher keeps its rest",
      "(record.status, record.remaining) = (Status.Swept, 0);",
      "record.status = Status.Swept;",
    ],
  ]),
  ...of("vouchers/VoucherStore.sol", careTests, [
    ["lost time is counted in started days", "to / 1 days - from / 1 days", "(to - from + 1 days - 1) / 1 days"],
  ]),
  ...of("vouchers/RedemptionCare.sol", careTests, [
    ["a redemption lapses at its deadline", "require(block.timestamp > end,", "require(block.timestamp >= end,"],
    [
      "a refund gives no lost time back",
      "_extended(word.redeemedExpiryDayOf(), redeemedAt, until)",
      "word.redeemedExpiryDayOf()",
    ],
    ["a refund counts a suspension's days too", "|| voucher.status == Status.Suspended", ""],
    ["a refund counts the days since a cancellation too", "if (isGone || voucher", "if (voucher"],
    ["anyone reverses a redemption", "require(_holdsRole(Roles.OPERATOR, msg.sender), NotPermitted(msg.sender));", ""],
    ["an operator reverses without bound", "_useLifecycle(address(this), word.amountOf());", ""],
  ]),
  ...of("claims/Claims.sol", claimTests, [
    ["a credential settles twice", "credentialRedemption[credentialHash] = redemption;", ""],
    ["the payer's day is not counted", "_spendings[payer] = spending;", ""],
    [
      "rejections count against no cap",
      "_spend(msg.sender, _load(redemption, IVouchers.RedemptionStatus.UnderReview).amount);",
      "",
    ],
    ["disputes count against no cap", "_spend(msg.sender, redeemed.amount);", ""],
    ["a debt is set off and stays", "_setDebt(supplier, debt - setOff);", ""],
    ["who raised a dispute resolves it", "require(record.challenger != msg.sender, NotPermitted(msg.sender));", ""],
    ["the cap of a day is one unit less", "amount <= cap - spent", "amount < cap - spent"],
    ["a draw pays beyond a lowered cap", "_requireCovered(payer, record.amount);", ""],
    ["a draw asks for its own amount only", "require(spent <= cap && amount <= cap,", "require(amount <= cap,"],
    ["a draw forgets its own amount", "require(spent <= cap && amount <= cap,", "require(spent <= cap,"],
    [
      "anyone waives a debt",
      "function waiveDebt(uint32 supplier, uint64 amount, string calldata reason) external onlyRole(Roles.COUNCIL) {",
      "function waiveDebt(uint32 supplier, uint64 amount, string calldata reason) external onlyRole(type(uint64).max) {",
    ],
    ["a waiver of 0 is emitted", "require(waived != 0, NothingToWaive(supplier));", ""],
    ["an expired attestation pays", "require(block.timestamp <= validUntil, AttestationExpired(validUntil));", ""],
  ]),
  ...of("pool/Pool.sol", poolTests, [
    ["a sale is priced up", "* _bid()) / (UNIT * BASIS));", "* _bid()) / (UNIT * BASIS) + 1);"],
    ["a purchase is not taken off the reserve", "reserves.carbon -= out;", ""],
    ["a purchase is counted in stablecoin", "_useBuyCaps(out)", "_useBuyCaps(stablecoinAmount)"],
    ["an order settles again", "isNonceUsed[side][party][nonce] = true;", ""],
    [
      "anyone empties the treasury",
      "function withdraw(address token, address to, uint256 amount) external nonReentrant onlyRole(Roles.COUNCIL) {",
      "function withdraw(address token, address to, uint256 amount) external nonReentrant onlyRole(type(uint64).max) {",
    ],
    ["anyone sells for a supplier", "require(seller.account == msg.sender, NotSupplier(msg.sender, supplier));", ""],
    ["a suspended supplier sells", "require(seller.authorised, NotSupplier(seller.account, supplier));", ""],
    [
      "a purchase after its deadline",
      "require(block.timestamp <= deadline, DeadlinePassed(deadline));\n        uint256 before",
      "uint256 before",
    ],
    ["an order needs no signature", "require(isSigned, SignatureInvalid(account));", ""],
    [
      "a claim pays any caller",
      "require(msg.sender == CLAIMS, OnlyClaims(msg.sender));\n        uint256 arrived",
      "uint256 arrived",
    ],
    [
      "a claim is paid for CARBON that did not come",
      "require(arrived >= carbonAmount, PaymentMissing(carbonAmount, arrived));",
      "",
    ],
    ["a purchase gives less than the least output", "require(out >= minOut, OutputBelowMinimum(out, minOut));", ""],
    [
      "a purchase is credited with what was sent",
      "uint64(Math.min(STABLECOIN.balanceOf(address(this)) - before, stablecoinAmount))",
      "before > 0 ? stablecoinAmount : stablecoinAmount",
    ],
    ["a token that pays short passes", "require(received >= amount, PaymentMissing(amount, received));", ""],
  ]),
  ...of("pool/PoolControl.sol", poolTests, [
    ["the day's cap does not stop", "require(amount <= left, DayCapExceeded(amount, left));", ""],
    ["the guardian raises the window's cap", "newCaps.perWindow <= old.perWindow &&", ""],
    [
      "anyone unpauses",
      "function unpause() external onlyRole(Roles.COUNCIL)",
      "function unpause() external onlyRole(type(uint64).max)",
    ],
    ["a fee without bound", "require(newFee <= FEE_BOUND, FeeTooLarge(newFee, FEE_BOUND));", ""],
    [
      "steps of price add up",
      "if (block.timestamp >= pricing.changedAt + PRICE_PERIOD) pricing.anchor = pricing.price;",
      "pricing.anchor = pricing.price;",
    ],
    [
      "a quiet day is a second longer",
      "block.timestamp >= pricing.changedAt + PRICE_PERIOD",
      "block.timestamp > pricing.changedAt + PRICE_PERIOD",
    ],
    [
      "a rise is sold in its own block",
      "block.timestamp > pricing.changedAt || pricing.price < pricing.previous",
      "true",
    ],
    [
      "a fall is bought in its own block",
      "block.timestamp > pricing.changedAt || pricing.price > pricing.previous",
      "true",
    ],
    [
      "a second change of a block forgets the first",
      "if (block.timestamp > pricing.changedAt) pricing.previous",
      "pricing.previous",
    ],
  ]),
  ...of("oracles/OracleRegistry.sol", oracleTests, [
    ["a claim is paid again", "isPaid[oracle][claimId] = true;", ""],
    ["a claim takes more than was accepted", "|| amount > account.acceptedPrice", ""],
    ["the largest batch of claims is too large", "claims.length <= MAX_CLAIMS", "claims.length < MAX_CLAIMS"],
    ["a deposit is withdrawn immediately", "block.timestamp >= account.withdrawableAt", "true"],
    [
      "a withdrawal ignores what was settled",
      "amount = uint64(Math.min(account.withdrawing, account.balance));",
      "amount = account.withdrawing;",
    ],
    [
      "anyone settles",
      "bool isAllowed = entry.owner != address(0) &&",
      "bool isAllowed = entry.owner != address(0) ||",
    ],
    [
      "a fee on transfer is borne by other deposits",
      "require(received == amount, DepositMissing(amount, received));",
      "",
    ],
  ]),
  ...of("shared/Flows.sol", poolTests, [
    ["earlier purchases make room", "return sum > most ? sum : most;", "return sum;"],
  ]),
  ...of(
    "certificates/Certificates.sol",
    ["certificates/certificates.ts", "certificates/issue-accounting.ts"],
    [
      ["a credential registers two certificates", "_credentials[credentialHash] = certificate;", ""],
      ["a leaf is issued twice", "entry.issuedLeaves |= mask;", ""],
      [
        "an untrusted verifier's credential passes",
        "PARTICIPANTS.isTrusted(registration.verifier, REDUCTION_CREDENTIAL, registration.credentialIssuedAt),",
        "true,",
      ],
    ],
  ),
  ...of("certificates/ImplementerDebts.sol", debtTests, [
    ["more is repaid than is owed", "amount <= debt,", "true,"],
    ["a repayment is kept", "carbon.burn(amount);", ""],
    ["a repayment does not count", "_accounts[implementer].repaid += uint88(amount);", ""],
    ["a revocation makes no debt", "_accounts[implementer].outstanding += amount;", ""],
    ["what is burned stays a debt", "_accounts[implementer].outstanding -= amount;", ""],
    ["a paid claim is not owed to the pool", "_accounts[implementer].replacement = owed;", ""],
    ["a replacement stays owed", "_accounts[implementer].replacement = owed - uint80(amount);", ""],
  ]),
  ...of("certificates/Certificates.sol", debtTests, [
    ["anyone vetoes a revocation", "PARTICIPANTS.requireRole(Roles.GUARDIAN, msg.sender);", ""],
    ["a final revocation is vetoed", "require(block.timestamp / 1 days < finalFrom,", "require(finalFrom != 0,"],
    ["a vetoed certificate keeps its debt", "_removeOutstanding(certificate, record.implementer, record.issued);", ""],
    [
      "a veto makes an unfinished certificate whole",
      "isComplete ? Status.Suspended : Status.Pending",
      "Status.Suspended",
    ],
    [
      "a veto lets vouchers be spent",
      "setCertificateHalted(certificate, isComplete, false)",
      "setCertificateHalted(certificate, false, false)",
    ],
  ]),
  ...of("vouchers/VoucherStore.sol", debtTests, [
    ["a revocation is final a day late", "day != 0 && _today() >= day", "day != 0 && _today() > day"],
    ["what was never revoked is revoked for ever", "day != 0 && _today() >= day", "_today() >= day"],
  ]),
  ...of("vouchers/VoucherCare.sol", debtTests, [
    [
      "vouchers of a valid certificate are burned",
      "require(_isRevoked(certificate), CertificateNotRevoked(certificate));",
      "",
    ],
    ["a revocation is final immediately", "revoked ? _today() + VETO_DAYS + 1 : 0;", "revoked ? _today() : 0;"],
    ["the guardian has less than a day", "_today() + VETO_DAYS + 1 : 0", "_today() + VETO_DAYS : 0"],
    ["the guardian has a day more", "_today() + VETO_DAYS + 1 : 0", "_today() + VETO_DAYS + 2 : 0"],
    [
      "a vetoed revocation becomes final",
      "revocationFinalFrom[certificate] = finalFrom;",
      "revocationFinalFrom[certificate] = revoked ? finalFrom : revocationFinalFrom[certificate];",
    ],
    ["a voucher is swept before its certificate's revocation is final", "? finalFrom", "? 0"],
    ["a cancelled voucher is burned again", "if (!word.isActive() && !word.isSuspended()) continue;", ""],
    [
      "another certificate's vouchers are burned",
      "require(word.certificateOf() == certificate, OpeningInvalid(id));",
      "require(word != 0, OpeningInvalid(id));",
    ],
    ["a sweep of a revoked certificate reaches the pool", "if (_isRevoked(record.certificate)) {", "if (rest == 0) {"],
  ]),
  ...of("vouchers/RedemptionCare.sol", debtTests, [
    ["a revoked certificate's claim reaches the pool", "&& _isRevoked(certificate)) {", "&& rest == 0) {"],
    [
      "a refund revives a burned voucher",
      "if (voucher.status != Status.Revoked)",
      "if (voucher.status != Status.None)",
    ],
  ]),
  ...of("itmo/Itmo.sol", debtTests, [
    ["a debtor's conversion becomes final", "CERTIFICATES.requireConvertible(conversion, record.implementer);", ""],
  ]),
  ...of("certificates/CarbonLots.sol", debtTests, [
    ["a debt to the pool is ignored", "require(debt == 0 && replacement == 0,", "require(debt == 0,"],
  ]),
  ...of(
    "certificates/CarbonLots.sol",
    ["certificates/lots.ts"],
    [
      ["anyone takes lots", "PARTICIPANTS.requireRole(Roles.CONVERTER, msg.sender);", ""],
      ["a released lot does not queue", "if (released == taken) _append(certificate, record.vintage);", ""],
      ["what is taken stays available", "record.taken = taken + part;", ""],
      [
        "a suspended certificate gives CARBON",
        "if (status != Status.Valid) return",
        "if (status == Status.None) return",
      ],
      ["a returned lot stays taken", "record.taken = taken - lot.amount;", ""],
      ["lots are returned twice", "delete _taken[msg.sender][conversion];", ""],
      ["one more lot is looked at", "require(looked < MAX_LOTS,", "require(looked <= MAX_LOTS,"],
      [
        "a revoked certificate's ITMOs are minted",
        "require(status == Status.Valid, LotNotValid(certificate, status));",
        "",
      ],
      ["the last of the queue is lost", "if (next == 0) queue.last = previous;", ""],
    ],
  ),
  ...of(
    "vouchers/VoucherCare.sol",
    ["certificates/lots.ts"],
    [["what leaves the ledger is in no lot", "_tell(CERTIFICATES.releaseLot, certificate, amount);", ""]],
  ),
  ...of(
    "itmo/Itmo.sol",
    ["itmo/conversions.ts", "certificates/lots.ts"],
    [
      ["a conversion takes no lots", "CERTIFICATES.takeLots(conversion, order.vintage, amount);", ""],
      ["a reverted conversion keeps its lots", "CERTIFICATES.returnLots(conversion);", ""],
    ],
  ),
  ...of(
    "campaigns/Campaigns.sol",
    ["campaigns/draw.ts", "campaigns/claims.ts", "campaigns/result.ts"],
    [
      ["the draw can be foreseen", "require(block.number > drawBlock, DrawTooEarly(campaign, drawBlock));", ""],
      ["a party's secret is not in the seed", "current.partySecret\n            )", "bytes32(0)\n            )"],
      ["one party's draw is certified", "require(entry.twoParties, DrawnByOneParty(campaign));", ""],
      ["an operator joins itself", "hasRole && !PARTICIPANTS.holds(Roles.OPERATOR, party)", "hasRole"],
      ["who withheld joins again", " && !hasWithheld[campaign][party]", ""],
      ["a repeated draw is not told", "_discard(campaign, entry, current, DiscardReason.SecretWithheld);", ""],
      ["a lost draw is not told", "_discard(campaign, entry, current, DiscardReason.BlockLost);", ""],
      [
        "an abandoned draw is not told",
        "if (isOpen) _discard(campaign, entry, current, DiscardReason.CampaignAbandoned);",
        "",
      ],
      [
        "an operator that withheld counts",
        "current.party != address(0) && !current.operatorWithheld",
        "current.party != address(0)",
      ],
      [
        "terms change in an open draw",
        "require(_draws[campaign].operatorCommitment == bytes32(0), DrawIsOpen(campaign));",
        "",
      ],
      [
        "a household with a claim is replaced",
        "require(mark & CLAIMED == 0, PositionHasClaim(campaign, group, dropped));",
        "",
      ],
      ["a certificate belongs to two campaigns", "certificateCampaign[certificate] = campaign;", ""],
    ],
  ),
  ...of("itmo/Itmo.sol", itmoTests, [
    ["a conversion mints and does not burn", "CARBON.burn(amount);", ""],
    [
      "a reverted request keeps its quantity",
      "_authorizations[record.authorization].committed -= record.quantity;",
      "",
    ],
    ["more is requested than authorized", "terms.committed += quantity;", ""],
    [
      "serials of another number",
      "require(lastId - firstId == quantity - 1, SerialsNotQuantity(firstId, lastId, quantity));",
      "",
    ],
    [
      "a request is reclaimed immediately",
      "require(block.timestamp >= from, TooEarlyToReclaim(conversion, from));",
      "",
    ],
    ["a request needs no signature", "require(isSigned, SignatureInvalid(account));", ""],
    ["an order is requested again", "require(earlier == 0, OrderUsed(account, nonce, earlier));", ""],
    ["an expired order is requested", "require(block.timestamp <= deadline, OrderExpired(deadline));", ""],
    [
      "anyone takes a request back",
      "require(msg.sender == account, NotImplementer(msg.sender, record.implementer));",
      "",
    ],
    [
      "a suspended implementer gets its CARBON back",
      "require(account != address(0), ImplementerSuspended(record.implementer));",
      "account = PARTICIPANTS.implementerOf(record.implementer).account;",
    ],
    [
      "CARBON goes back to the account that asked",
      "CARBON.safeTransfer(account, amount);",
      "CARBON.safeTransfer(record.account, amount);",
    ],
    ["parts of a tonne", "require(quantity != 0 && amount % TONNE == 0,", "require(quantity != 0,"],
  ]),
  ...of("itmo/InvalidationBuffer.sol", bufferTests, [
    ["anyone sets the buffer's terms", "PARTICIPANTS.requireRole(Roles.COUNCIL, msg.sender);", ""],
    ["the share has no limit", "share <= MAX_SHARE && holdDays <= MAX_HOLD_DAYS", "holdDays <= MAX_HOLD_DAYS"],
    ["the holding time has no limit", "share <= MAX_SHARE && holdDays <= MAX_HOLD_DAYS", "share <= MAX_SHARE"],
    ["terms hold for what is requested", "ITMO.conversionCount() + 1", "ITMO.conversionCount()"],
    ["anyone reports what is held", "require(msg.sender == address(ITMO), OnlyItmo(msg.sender));", ""],
    ["the buffer holds more than is left", "if (held > most) held = most;", ""],
    ["units are released early", "require(block.timestamp >= heldUntil, StillHeld(conversion, heldUntil));", ""],
    ["units are released twice", "record.held = 0;", ""],
    [
      "a release ignores a certificate in question",
      "require(questioned == 0, LotInQuestion(conversion, questioned));",
      "",
    ],
    [
      "a suspension delays a release for ever",
      "if (!isSuspensionOver) questioned = certificate;",
      "questioned = certificate;",
    ],
    ["a suspension delays nothing", "if (!isSuspensionOver) questioned = certificate;", ""],
    ["units are cancelled before a veto is too late", "block.timestamp / 1 days < finalFrom", "false"],
    ["a lot is cancelled twice", "if (record.cancelledLots & mask != 0) return held;", ""],
    ["a lot is rounded down", "Math.ceilDiv(lot.amount, TONNE)", "(lot.amount / TONNE)"],
    ["more is cancelled than is held", "if (tonnes > held) tonnes = held;", ""],
  ]),
  ...of("itmo/ItmoBlocks.sol", bufferTests, [
    ["anyone releases or cancels what is held", "require(msg.sender == address(BUFFER), OnlyBuffer(msg.sender));", ""],
    [
      "the buffer changes what it does not hold",
      "require(status == BlockStatus.Buffered, BlockNotBuffered(blockId, status));",
      "",
    ],
    ["what the buffer holds can be moved", "_setStatus(part, BlockStatus.Buffered);", ""],
  ]),
  ...of("itmo/Authorizations.sol", reductionTests, [
    [
      "a reduction is final immediately",
      "require(!_isPending(record), ReductionPending(authorization, record.finalFrom));",
      "",
    ],
    [
      "a revoked authorization is used",
      "require(record.purpose != IItmo.Purpose.None, AuthorizationRevoked(authorization));",
      "",
    ],
    [
      "more is first transferred than a reduction left",
      "require(quantity <= record.quantity, QuantityReduced(authorization, quantity, record.quantity));",
      "",
    ],
    [
      "a reduction adds purposes",
      "purpose.isWithin(record.purpose) && quantity <= record.quantity",
      "quantity <= record.quantity",
    ],
    ["anyone vetoes a reduction", "PARTICIPANTS.requireRole(Roles.GUARDIAN, msg.sender);", ""],
    ["first transfers are not counted", "record.firstTransferred += quantity;", ""],
    [
      "a final reduction is vetoed",
      "require(_isPending(record), ReductionFinal(authorization, record.finalFrom));",
      "",
    ],
    ["a veto restores the quantity alone", "record.purpose = record.purposeBefore;", ""],
  ]),
  ...of("itmo/ItmoBlocks.sol", reductionTests, [
    [
      "what was first transferred loses its purposes",
      "record.firstTransfer == ActionSubtype.None\n                ? _authorizedPurpose(authorization, 0)",
      "record.firstTransfer != ActionSubtype.None\n                ? _authorizedPurpose(authorization, 0)",
    ],
    [
      "a block is minted under a revoked authorization",
      "_authorizedPurpose(authorization, terms.issued)",
      "terms.purpose",
    ],
  ]),
  ...of("itmo/ItmoRegistry.sol", itmoTests, [
    [
      "a day without cap",
      "require(moved <= cap && quantity <= cap - moved, DailyCapExceeded(moved, quantity, cap));",
      "",
    ],
    ["the guardian raises the day's cap", "require(cap < dailyCap, CapNotLowered(dailyCap, cap));", ""],
    [
      "an authorization falls below what it gave",
      "require(quantity >= committed, QuantityBelowCommitted(authorization, quantity, committed));",
      "",
    ],
  ]),
  ...of("itmo/ItmoBlocks.sol", itmoTests, [
    ["the rest of a split keeps the whole range", "_blocks[blockId].lastId = firstId - 1;", ""],
    [
      "a used block is used again",
      "require(record.status == BlockStatus.Held, BlockNotHeld(blockId, record.status));",
      "",
    ],
    [
      "the first transferring Party uses its own",
      "require(record.party != approach.firstTransferringParty, NotTransferred(blockId));",
      "",
    ],
    ["a transfer leaves no mark", "if (isFirst) _setFirst(blockId, ActionSubtype.ToAnotherParty);", ""],
  ]),
  ...of(
    "shared/SerialRanges.sol",
    ["certificates/certificates.ts", ...itmoTests],
    [
      [
        "ranges may share a serial",
        "store.ranges[previous].lastId >= firstId",
        "store.ranges[previous].lastId > firstId",
      ],
    ],
  ),
];

/** Mutants that the stateful suite must notice too, by a property with one of these numbers (INVARIANTS.md). */
export const properties: Readonly<Record<string, readonly string[]>> = {
  "a redemption may exceed the balance": ["V11", "V5", "V1"],
  "a household's nonce settles again": ["V10"],
  "what is redeemed without consent is not counted": ["V14"],
  "anyone may state a PIN": ["V11"],
  "a swept voucher keeps its rest": ["V5", "V1"],
  "a credential settles twice": ["V7"],
  "the payer's day is not counted": ["C2"],
  "a debt is set off and stays": ["D2"],
  "a sale is priced up": ["P4", "P1", "P5"],
  "a purchase is not taken off the reserve": ["P1"],
  "an order settles again": ["O1", "O2"],
  "the day's cap does not stop": ["P3"],
  "anyone empties the treasury": ["C1"],
  "an order needs no signature": ["O1"],
  "anyone unpauses": ["C1"],
  "a leaf is issued twice": ["V6", "V2"],
  "ranges may share a serial": ["I1"],
  "a conversion mints and does not burn": ["V3", "I5"],
  "a reverted request keeps its quantity": ["I6"],
  "a request is reclaimed immediately": ["I9"],
  "a request needs no signature": ["O1"],
  "an order is requested again": ["O1", "O2"],
  "a day without cap": ["I8"],
  "the rest of a split keeps the whole range": ["I2"],
  "a used block is used again": ["I3"],
  "a revocation makes no debt": ["R1"],
  "a repayment does not count": ["R1"],
  "a paid claim is not owed to the pool": ["V1"],
  "a debtor's conversion becomes final": ["R3"],
  "more is first transferred than a reduction left": ["I10"],
  "first transfers are not counted": ["I10"],
  "anyone vetoes a reduction": ["I10"],
};
