// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {DayBucket} from "../shared/DayBucket.sol";
import {RedemptionRules} from "../shared/RedemptionRules.sol";
import {Roles} from "../shared/Roles.sol";
import {Consents} from "./Consents.sol";
import {IVouchers} from "./IVouchers.sol";
import {KnownVerdict} from "./KnownVerdict.sol";
import {VoucherIssue} from "./VoucherIssue.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherRedeem
/// @notice Redeems vouchers one by one or in batches. One function, `_settle`, judges and records all of them.
/// @dev What Participants says of supplier, product and plan is kept in the word of the supplier's allowance (`KnownVerdict`), so that
/// most redemptions ask it only for what may change at any time: `IParticipants.redemptionTerms`.
abstract contract VoucherRedeem is VoucherIssue {
    using DayBucket for uint256;
    using KnownVerdict for uint256;
    using VoucherSlot for uint256;

    /// @dev What the orders of a call share.
    /// @param opening Where the last opening was found.
    /// @param supplier Of the only order; 0 in a batch, whose orders may have different ones.
    /// @param terms What Participants says of the caller; 0 until it is asked.
    /// @param verdicts What Participants has answered so far, each under its parties' key, at a place that they decide.
    struct Round {
        uint256 opening;
        uint32 supplier;
        uint256 terms;
        uint256[16] verdicts;
    }

    /// @dev Rules whose place a consent takes that the chain has checked.
    uint256 private constant CHECKED_RULES = RedemptionRules.HOUSEHOLD_AUTHORISED | RedemptionRules.CALLER_AUTHORISED;
    /// @notice Checks signatures for this ledger.
    Consents public immutable CONSENTS = new Consents();

    // Redeem.

    /// @inheritdoc IVouchers
    function redeem(RedemptionOrder calldata order) external returns (uint96 redemption) {
        return _redeem(order, _loadWord(order.voucher), Consent.None, 0);
    }

    /// @inheritdoc IVouchers
    function redeemOpening(
        RedemptionOrder calldata order,
        uint32 household,
        uint64 value,
        bytes32[] calldata proof
    ) external returns (uint96 redemption) {
        uint64 id = order.voucher;
        uint256 word = _vouchers[id];
        if (word == 0) word = _proven(id, household, value, proof);
        require(word != 0, OpeningInvalid(id));
        return _redeem(order, word, Consent.None, 0);
    }

    /// @inheritdoc IVouchers
    function redeemAuthorized(
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) external returns (uint96 redemption) {
        uint256 word = _loadWord(order.voucher);
        uint32 household = word.householdOf();
        if (authorization.consent != Consent.Pin) {
            _requireUnused(household, authorization.nonce);
            require(block.timestamp <= authorization.deadline, AuthorizationExpired(authorization.deadline));
        }
        redemption = _redeem(order, word, authorization.consent, _brokenBy(order, household, authorization));
        _settleNonce(household, authorization, redemption);
    }

    /// @inheritdoc IVouchers
    function redeemMany(
        Opening[] calldata openings,
        RedemptionOrder[] calldata orders,
        Authorization[] calldata authorizations
    ) external returns (uint16[] memory rules) {
        rules = new uint16[](orders.length);
        Round memory round;
        uint256 next = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            RedemptionOrder calldata order = orders[i];
            uint256 word = _vouchers[order.voucher];
            if (word == 0) word = _foreseen(round, openings, order.voucher);
            uint256 broken;
            if (next < authorizations.length && authorizations[next].order == i) {
                broken = _settleAuthorized(round, order, word, authorizations[next++]);
            } else {
                (broken, ) = _settle(round, order, word, Consent.None, 0);
            }
            if (broken == 0) continue;
            rules[i] = uint16(broken);
            emit RedemptionRefused(i, order.voucher, uint16(broken));
        }
        // One that was skipped is out of order, given twice, or belongs to no order.
        if (next < authorizations.length) revert AuthorizationsNotAscending(authorizations[next].order);
    }

    /// @inheritdoc IVouchers
    function cancelAuthorization(uint32 household, uint256 nonce) external {
        require(msg.sender == PARTICIPANTS.householdAccount(household), NotPermitted(msg.sender));
        _requireUnused(household, nonce);
        _usedNonces[household][nonce] = CANCELLED;
        emit AuthorizationCancelled(household, nonce);
    }

    // Rules.

    /// @dev The rules that an order breaks, apart from its consent's.
    /// @param verdict On its parties.
    /// @param word The voucher, 0 when there is none or it is neither open nor opened by the call.
    function _rulesOf(uint256 verdict, uint256 word, uint64 amount) private view returns (uint256 rules) {
        rules = uint16(verdict) | RedemptionRules.ruleIf(RedemptionRules.AMOUNT_POSITIVE, amount == 0);
        uint64 limit = uint64(verdict >> RedemptionRules.LIMIT_SHIFT);
        if (limit != 0) rules |= RedemptionRules.ruleIf(RedemptionRules.PRODUCT_LIMIT, amount > limit);
        if (word == 0) return rules | RedemptionRules.VOUCHER_EXISTS;
        bool isHalted = verdict & RedemptionRules.ANY_HALTED != 0 && _halted[word.certificateOf()];
        return rules | _voucherRules(word, isHalted, amount);
    }

    /// @dev What a supplier may redeem in a day without consent, micro-CARBON. Cannot overflow: 32 bits times a million.
    function _unconsentedCap(uint256 verdict) private pure returns (uint64) {
        unchecked {
            return uint32(verdict >> RedemptionRules.UNCONSENTED_SHIFT) * CARBON_UNIT;
        }
    }

    function _voucherRules(uint256 word, bool isHalted, uint64 amount) private view returns (uint256 rules) {
        uint256 today = _today();
        uint64 remaining = word.remainingOf();
        rules = RedemptionRules.ruleIf(RedemptionRules.VOUCHER_ACTIVE, isHalted);
        rules |= RedemptionRules.ruleIf(RedemptionRules.VOUCHER_ACTIVE, remaining == 0);
        rules |= RedemptionRules.ruleIf(RedemptionRules.VOUCHER_ACTIVE, word.redemptionsOf() == type(uint24).max);
        rules |= RedemptionRules.ruleIf(RedemptionRules.VOUCHER_ACTIVE, !word.isActive());
        rules |= RedemptionRules.ruleIf(RedemptionRules.VOUCHER_NOT_EXPIRED, today > word.expiryDayOf());
        rules |= RedemptionRules.ruleIf(RedemptionRules.VOUCHER_STARTED, today < word.startDayOf());
        rules |= RedemptionRules.ruleIf(RedemptionRules.AMOUNT_WITHIN_BALANCE, amount > remaining);
    }

    /// @dev What Participants says of the parties, asked only for what is not known yet.
    /// @param sale See `VoucherSlot.readOrder`.
    /// @param allowance The word of the supplier's allowance, which may keep an earlier verdict; 0 for none.
    /// @return verdict Only the lowest `VERDICT_BITS` are the verdict.
    /// @return known What to keep of it together with the allowance.
    function _verdictOn(
        Round memory round,
        uint256 sale,
        uint32 plan,
        uint256 allowance
    ) private view returns (uint256 verdict, uint256 known) {
        (uint32 supplier, uint32 product) = (sale.supplierOf(), sale.productOf());
        if (allowance.isOn(product, plan)) {
            uint256 terms = round.terms;
            if (terms == 0) {
                terms = PARTICIPANTS.redemptionTerms(round.supplier, msg.sender);
                round.terms = terms;
            }
            // In a batch a supplier's own account is not known by the terms, but by the whole verdict.
            bool isPermitted = terms & RedemptionRules.CALLER_AUTHORISED == 0;
            if (isPermitted && allowance.isOfVersion(terms)) return (allowance.verdictOf(terms), allowance.known());
        }
        // The lowest bit distinguishes parties without an index from an empty place.
        uint256 key = (uint256(supplier) << 65) | (uint256(product) << 33) | (uint256(plan) << 1) | 1;
        uint256 place = (supplier ^ product ^ plan) % 16;
        verdict = round.verdicts[place];
        if (verdict >> RedemptionRules.VERDICT_BITS != key) {
            verdict = PARTICIPANTS.redemptionParties(supplier, product, plan, msg.sender);
            verdict |= key << RedemptionRules.VERDICT_BITS;
            round.verdicts[place] = verdict;
        }
        return (verdict, KnownVerdict.keep(verdict, product, plan));
    }

    /// @dev The voucher that one of the openings opens, 0 for none. Searches on from the last one found, so that openings
    /// in the sequence of the orders are found first.
    function _foreseen(Round memory round, Opening[] calldata openings, uint64 id) private view returns (uint256 word) {
        uint256 index = round.opening;
        for (uint256 i = 0; i < openings.length; ++i) {
            if (index == openings.length) index = 0;
            Opening calldata opening = openings[index];
            if (opening.voucher == id) {
                word = _proven(id, opening.household, opening.value, opening.proof);
                if (word != 0) {
                    round.opening = index;
                    return word;
                }
            }
            ++index;
        }
    }

    // Authorisations.

    /// @dev The rules that a consent breaks itself: it must hold for this order of this household.
    function _brokenBy(
        RedemptionOrder calldata order,
        uint32 household,
        Authorization calldata authorization
    ) private view returns (uint256) {
        Consent consent = authorization.consent;
        bool holds =
            consent == Consent.Pin
                ? _holdsRole(Roles.OPERATOR, msg.sender)
                : consent != Consent.None && _isSigned(order, household, authorization);
        return holds ? 0 : RedemptionRules.HOUSEHOLD_AUTHORISED;
    }

    function _isSigned(
        RedemptionOrder calldata order,
        uint32 household,
        Authorization calldata authorization
    ) private view returns (bool) {
        if (authorization.deadline < block.timestamp) return false;
        if (_usedNonces[household][authorization.nonce] != 0) return false;
        if (authorization.consent == Consent.Code) {
            return CONSENTS.isCode(order, authorization, household, codeRootOf(order.voucher));
        }
        return CONSENTS.isSigned(order, authorization, PARTICIPANTS.householdAccount(household));
    }

    function _requireUnused(uint32 household, uint256 nonce) private view {
        uint96 earlier = _usedNonces[household][nonce];
        require(earlier == 0, AuthorizationUsed(household, nonce, earlier));
    }

    function _settleNonce(uint32 household, Authorization calldata authorization, uint96 redemption) private {
        if (authorization.consent == Consent.Pin) return;
        _usedNonces[household][authorization.nonce] = redemption;
        emit AuthorizationSettled(household, authorization.nonce, redemption);
    }

    // Records.

    function _settleAuthorized(
        Round memory round,
        RedemptionOrder calldata order,
        uint256 word,
        Authorization calldata authorization
    ) private returns (uint256 rules) {
        uint32 household = word.householdOf();
        uint96 redemption;
        uint256 broken = _brokenBy(order, household, authorization);
        (rules, redemption) = _settle(round, order, word, authorization.consent, broken);
        if (rules == 0) _settleNonce(household, authorization, redemption);
    }

    /// @dev Redeems unless a rule is broken.
    /// @param broken The rules that the consent itself breaks.
    function _settle(
        Round memory round,
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent,
        uint256 broken
    ) private returns (uint256 rules, uint96 redemption) {
        uint256 sale = VoucherSlot.readOrder(order);
        bool isPin = consent == Consent.Pin;
        bool isCounted = isPin || consent == Consent.None;
        Slot storage allowance = _allowances[isPin ? _pinKey(msg.sender) : sale.supplierOf()];
        uint256 used = isCounted ? allowance.word : 0;
        (uint256 verdict, uint256 known) = _verdictOn(round, sale, word.planOf(), used);
        rules = _rulesOf(verdict, word, sale.amountOf()) | broken;
        if (broken == 0) {
            if (isCounted) {
                used = used.tryUse(isPin ? pinCap : _unconsentedCap(verdict), sale.amountOf());
                uint256 rule = isPin ? RedemptionRules.PIN_WITHIN_CAP : RedemptionRules.UNCONSENTED_WITHIN_CAP;
                rules |= RedemptionRules.ruleIf(rule, used == 0);
            } else {
                rules &= ~CHECKED_RULES;
            }
        }
        if (rules != 0) return (rules, 0);
        if (isCounted) allowance.word = isPin ? used : used | known;
        redemption = _record(sale, word, consent);
    }

    function _redeem(
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent,
        uint256 broken
    ) private returns (uint96 redemption) {
        Round memory round;
        round.supplier = order.supplier;
        uint256 rules;
        (rules, redemption) = _settle(round, order, word, consent, broken);
        require(rules == 0, RedemptionRuleBroken(order.voucher, uint16(rules)));
    }

    function _record(uint256 sale, uint256 word, Consent consent) private returns (uint96 redemption) {
        (uint64 id, uint64 amount) = (sale.voucherOf(), sale.amountOf());
        word = word.spend(amount);
        redemption = (uint96(id) << 32) | word.redemptionsOf();
        // Cannot overflow: seconds of this age and at most 2^16 hours in 256 bits.
        uint40 deadline;
        unchecked {
            deadline = uint40(block.timestamp + uint256(word.claimWindowHoursOf()) * 1 hours);
        }
        _vouchers[id] = word;
        _redemptions[redemption] = VoucherSlot.openRedemption(sale, word, deadline, consent);
        emit VoucherRedeemed(
            redemption,
            sale.supplierOf(),
            sale.productOf(),
            amount,
            word.remainingOf(),
            deadline,
            consent
        );
    }
}
