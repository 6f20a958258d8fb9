// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {DayBucket} from "../shared/DayBucket.sol";
import {RedemptionRules} from "../shared/RedemptionRules.sol";
import {Roles} from "../shared/Roles.sol";
import {Consents} from "./Consents.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherIssue} from "./VoucherIssue.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherRedeem
/// @notice Redeems vouchers one by one or in batches. One function, `_rulesOf`, judges orders for all of them.
abstract contract VoucherRedeem is VoucherIssue {
    using DayBucket for uint256;
    using VoucherSlot for uint256;

    /// @dev What the orders of a batch share. `opening` is where the last opening was found. `verdicts` are the answers of
    /// Participants so far, each under its parties' key, at a place that the parties decide.
    struct Round {
        uint256 opening;
        uint256[16] verdicts;
    }

    /// @dev Rules whose place a consent takes that the chain has checked.
    uint256 private constant CHECKED_RULES = RedemptionRules.HOUSEHOLD_AUTHORISED | RedemptionRules.CALLER_AUTHORISED;
    /// @dev Where the key of the parties lies in a verdict that is kept: above what Participants answers.
    uint256 private constant KEY_SHIFT = 136;
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
        // One that was passed over is out of order, given twice, or belongs to no order.
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

    /// @dev The rules that an order breaks, by the verdict on its parties, and the allowance that it uses.
    /// @param word The voucher, 0 when there is none or it is neither open nor opened by the call.
    /// @param broken The rules that the consent itself breaks.
    /// @return rules Broken rules.
    /// @return key Of the allowance.
    /// @return bucket What the allowance becomes when the order is redeemed; 0 for an order that uses none.
    function _rulesOf(
        uint256 verdict,
        uint256 word,
        RedemptionOrder calldata order,
        Consent consent,
        uint256 broken
    ) private view returns (uint256 rules, uint256 key, uint256 bucket) {
        uint64 amount = order.amount;
        rules = uint16(verdict) | broken;
        if (broken == 0) {
            if (consent > Consent.Pin) {
                rules &= ~CHECKED_RULES;
            } else {
                uint256 capRule;
                (capRule, key, bucket) = _useAllowance(verdict, order.supplier, amount, consent);
                rules |= capRule;
            }
        }
        if (amount == 0) rules |= RedemptionRules.AMOUNT_POSITIVE;
        uint64 limit = uint64(verdict >> RedemptionRules.LIMIT_SHIFT);
        if (limit != 0 && amount > limit) rules |= RedemptionRules.PRODUCT_LIMIT;
        if (word == 0) return (rules | RedemptionRules.VOUCHER_EXISTS, 0, 0);
        bool isHalted = verdict & RedemptionRules.ANY_HALTED != 0 && _halted[word.certificateOf()];
        rules |= _voucherRules(word, isHalted, amount);
    }

    /// @dev Of a consent that the chain cannot check: the rule when the allowance is too small, else what it becomes.
    function _useAllowance(
        uint256 verdict,
        uint32 supplier,
        uint64 amount,
        Consent consent
    ) private view returns (uint256 rule, uint256 key, uint256 bucket) {
        bool isPin = consent == Consent.Pin;
        key = isPin ? _pinKey(msg.sender) : supplier;
        uint64 size = isPin ? pinCap : uint32(verdict >> RedemptionRules.UNCONSENTED_SHIFT) * CARBON_UNIT;
        bucket = _allowances[key].tryUse(size, amount);
        if (bucket == 0) rule = isPin ? RedemptionRules.PIN_WITHIN_CAP : RedemptionRules.UNCONSENTED_WITHIN_CAP;
    }

    function _voucherRules(uint256 word, bool isHalted, uint64 amount) private view returns (uint256 rules) {
        uint256 today = _today();
        uint64 remaining = word.remainingOf();
        bool isSpent = remaining == 0 || word.redemptionsOf() == type(uint24).max;
        if (isHalted || isSpent || !word.isActive()) rules = RedemptionRules.VOUCHER_ACTIVE;
        if (today > word.expiryDayOf()) rules |= RedemptionRules.VOUCHER_NOT_EXPIRED;
        if (today < word.startDayOf()) rules |= RedemptionRules.VOUCHER_STARTED;
        if (amount > remaining) rules |= RedemptionRules.AMOUNT_WITHIN_BALANCE;
    }

    /// @dev What Participants says of the parties, asked unless it is known. Only the lowest 136 bits are the verdict.
    function _verdictOn(
        Round memory round,
        uint32 supplier,
        uint32 product,
        uint32 plan
    ) private view returns (uint256 verdict) {
        // The lowest bit tells the parties of no index from an empty place.
        uint256 key = (uint256(supplier) << 65) | (uint256(product) << 33) | (uint256(plan) << 1) | 1;
        uint256 place = (supplier ^ product ^ plan) % 16;
        verdict = round.verdicts[place];
        if (verdict >> KEY_SHIFT == key) return verdict;
        verdict = (key << KEY_SHIFT) | PARTICIPANTS.redemptionParties(supplier, product, plan, msg.sender);
        round.verdicts[place] = verdict;
    }

    /// @dev The voucher that one of the openings opens, 0 for none. Searches on from the last one found, so that openings
    /// in the orders' own sequence are found at once.
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

    function _settle(
        Round memory round,
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent,
        uint256 broken
    ) private returns (uint256 rules, uint96 redemption) {
        uint256 verdict = _verdictOn(round, order.supplier, order.product, word.planOf());
        uint256 key;
        uint256 bucket;
        (rules, key, bucket) = _rulesOf(verdict, word, order, consent, broken);
        if (rules != 0) return (rules, 0);
        _use(key, bucket);
        redemption = _record(order, word, consent);
    }

    function _redeem(
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent,
        uint256 broken
    ) private returns (uint96 redemption) {
        uint256 verdict = PARTICIPANTS.redemptionParties(order.supplier, order.product, word.planOf(), msg.sender);
        (uint256 rules, uint256 key, uint256 bucket) = _rulesOf(verdict, word, order, consent, broken);
        require(rules == 0, RedemptionRuleBroken(order.voucher, uint16(rules)));
        _use(key, bucket);
        return _record(order, word, consent);
    }

    function _use(uint256 key, uint256 bucket) private {
        if (bucket != 0) _allowances[key] = bucket;
    }

    function _record(
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent
    ) private returns (uint96 redemption) {
        uint64 id = order.voucher;
        (uint32 supplier, uint32 product, uint64 amount) = (order.supplier, order.product, order.amount);
        word = word.spend(amount);
        redemption = (uint96(id) << 32) | word.redemptionsOf();
        // Cannot overflow: seconds of this age and at most 2^16 hours in 256 bits.
        uint40 deadline;
        unchecked {
            deadline = uint40(block.timestamp + uint256(word.claimWindowHoursOf()) * 1 hours);
        }
        _vouchers[id] = word;
        uint24 expiryDay = word.expiryDayOf();
        _redemptions[redemption] = VoucherSlot.openRedemption(supplier, product, amount, deadline, expiryDay, consent);
        emit VoucherRedeemed(redemption, supplier, product, amount, word.remainingOf(), deadline, consent);
    }
}
