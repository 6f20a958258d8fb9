// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {RedemptionRules} from "../shared/RedemptionRules.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherIssue} from "./VoucherIssue.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherRedeem
/// @notice Redeems vouchers one by one or in batches. One function, `_rulesOf`, judges orders for all of them.
abstract contract VoucherRedeem is VoucherIssue, EIP712 {
    using VoucherSlot for uint256;

    enum Consent {
        None,
        Given,
        Refused
    }

    /// @dev What the orders of a batch share. `opening` is where the last opening was found. `verdicts` are the answers of
    /// Participants so far, each under its parties' key, at a place that the parties decide.
    struct Round {
        address caller;
        uint256 opening;
        uint256[16] verdicts;
    }

    /// @dev Rules that the household's consent takes the place of.
    uint256 private constant CONSENT_RULES = RedemptionRules.HOUSEHOLD_AUTHORISED | RedemptionRules.CALLER_AUTHORISED;
    /// @dev Where the key of the parties lies in a verdict that is kept: above what Participants answers.
    uint256 private constant KEY_SHIFT = 136;
    bytes32 private constant AUTHORIZATION_TYPEHASH = keccak256(
        "RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,uint64 deadline)"
    );

    /// @notice Gas that a household's contract wallet may spend on checking one signature.
    uint256 public constant SIGNATURE_GAS = 150_000;

    // Redeem.

    /// @inheritdoc IVouchers
    function redeem(RedemptionOrder calldata order) external returns (uint96 redemption) {
        return _redeem(order, _loadWord(order.voucher), Consent.None);
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
        return _redeem(order, word, Consent.None);
    }

    /// @inheritdoc IVouchers
    function redeemAuthorized(
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) external returns (uint96 redemption) {
        uint256 word = _loadWord(order.voucher);
        (uint32 household, uint256 nonce) = (word.householdOf(), authorization.nonce);
        uint96 earlier = _usedNonces[household][nonce];
        require(earlier == 0, AuthorizationUsed(household, nonce, earlier));
        require(block.timestamp <= authorization.deadline, AuthorizationExpired(authorization.deadline));
        redemption = _redeem(order, word, _consentOf(order, household, authorization));
        _settleNonce(household, nonce, redemption);
    }

    /// @inheritdoc IVouchers
    function redeemMany(
        Opening[] calldata openings,
        RedemptionOrder[] calldata orders,
        Authorization[] calldata authorizations
    ) external {
        Round memory round;
        round.caller = msg.sender;
        uint256 next = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            RedemptionOrder calldata order = orders[i];
            uint256 word = _vouchers[order.voucher];
            if (word == 0) word = _foreseen(round, openings, order.voucher);
            if (next < authorizations.length && authorizations[next].order == i) {
                _settleAuthorized(round, i, order, word, authorizations[next++]);
            } else {
                _settleOrder(round, i, order, word, Consent.None);
            }
        }
        _requireAllUsed(authorizations, next);
    }

    /// @inheritdoc IVouchers
    function reviewRedemptions(
        Opening[] calldata openings,
        RedemptionOrder[] calldata orders,
        Authorization[] calldata authorizations,
        address caller
    ) external view returns (uint16[] memory rules) {
        rules = new uint16[](orders.length);
        Round memory round;
        round.caller = caller;
        uint256 next = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            uint256 word = _vouchers[orders[i].voucher];
            if (word == 0) word = _foreseen(round, openings, orders[i].voucher);
            Consent consent = Consent.None;
            if (next < authorizations.length && authorizations[next].order == i) {
                consent = _consentOf(orders[i], word.householdOf(), authorizations[next++]);
            }
            uint256 verdict = _verdictOn(round, orders[i].supplier, orders[i].product, word.planOf());
            rules[i] = uint16(_rulesOf(verdict, word, orders[i].amount, consent));
        }
        _requireAllUsed(authorizations, next);
    }

    /// @notice Whether a signature holds for an account.
    /// @dev Called by the ledger itself, so that a contract wallet spends at most `SIGNATURE_GAS`.
    function isSignatureValid(address account, bytes32 digest, bytes calldata signature) external view returns (bool) {
        return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
    }

    // Rules.

    /// @dev The rules that an order breaks, by the verdict on its parties.
    /// @param word The voucher, 0 when there is none or it is neither open nor opened by the call.
    function _rulesOf(
        uint256 verdict,
        uint256 word,
        uint64 amount,
        Consent consent
    ) private view returns (uint256 rules) {
        rules = uint16(verdict);
        if (consent == Consent.Given) rules &= ~CONSENT_RULES;
        else if (consent == Consent.Refused) rules |= RedemptionRules.HOUSEHOLD_AUTHORISED;
        if (amount == 0) rules |= RedemptionRules.AMOUNT_POSITIVE;
        uint64 limit = uint64(verdict >> RedemptionRules.LIMIT_SHIFT);
        if (limit != 0 && amount > limit) rules |= RedemptionRules.PRODUCT_LIMIT;
        if (word == 0) return rules | RedemptionRules.VOUCHER_EXISTS;
        bool isHalted = verdict & RedemptionRules.ANY_HALTED != 0 && _halted[word.certificateOf()];
        return rules | _voucherRules(word, isHalted, amount);
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
        verdict = (key << KEY_SHIFT) | PARTICIPANTS.redemptionParties(supplier, product, plan, round.caller);
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

    function _settleAuthorized(
        Round memory round,
        uint256 index,
        RedemptionOrder calldata order,
        uint256 word,
        Authorization calldata authorization
    ) private {
        uint32 household = word.householdOf();
        Consent consent = _consentOf(order, household, authorization);
        uint96 redemption = _settleOrder(round, index, order, word, consent);
        if (redemption != 0) _settleNonce(household, authorization.nonce, redemption);
    }

    function _consentOf(
        RedemptionOrder calldata order,
        uint32 household,
        Authorization calldata authorization
    ) private view returns (Consent) {
        if (authorization.deadline < block.timestamp) return Consent.Refused;
        if (_usedNonces[household][authorization.nonce] != 0) return Consent.Refused;
        address account = PARTICIPANTS.householdAccount(household);
        if (account == address(0)) return Consent.Refused;
        bytes32 digest = _digestOf(order, authorization);
        return _isSigned(account, digest, authorization.signature) ? Consent.Given : Consent.Refused;
    }

    function _digestOf(
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) private view returns (bytes32) {
        bytes32 content = keccak256(
            abi.encode(
                AUTHORIZATION_TYPEHASH,
                order.voucher,
                order.supplier,
                order.product,
                order.amount,
                authorization.nonce,
                authorization.deadline
            )
        );
        return _hashTypedDataV4(content);
    }

    /// @dev A wallet that reverts or burns its gas has not signed. A sender who leaves too little gas for the check
    /// must not pass for that, so it reverts.
    function _isSigned(address account, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (account.code.length == 0) return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
        require(gasleft() > SIGNATURE_GAS + SIGNATURE_GAS / 32, InsufficientGas());
        try this.isSignatureValid{gas: SIGNATURE_GAS}(account, digest, signature) returns (bool valid) {
            return valid;
        } catch {
            return false;
        }
    }

    /// @dev One that was passed over is out of order, given twice, or belongs to no order.
    function _requireAllUsed(Authorization[] calldata authorizations, uint256 used) private pure {
        if (used < authorizations.length) revert AuthorizationsNotAscending(authorizations[used].order);
    }

    // Records.

    function _settleOrder(
        Round memory round,
        uint256 index,
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent
    ) private returns (uint96 redemption) {
        (uint32 supplier, uint32 product, uint64 amount) = (order.supplier, order.product, order.amount);
        uint256 verdict = _verdictOn(round, supplier, product, word.planOf());
        uint256 rules = _rulesOf(verdict, word, amount, consent);
        if (rules == 0) return _record(order.voucher, supplier, product, amount, word, consent);
        emit RedemptionRefused(index, order.voucher, uint16(rules));
    }

    function _redeem(
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent
    ) private returns (uint96 redemption) {
        (uint32 supplier, uint32 product, uint64 amount) = (order.supplier, order.product, order.amount);
        uint256 verdict = PARTICIPANTS.redemptionParties(supplier, product, word.planOf(), msg.sender);
        uint256 rules = _rulesOf(verdict, word, amount, consent);
        require(rules == 0, RedemptionRuleBroken(order.voucher, uint16(rules)));
        return _record(order.voucher, supplier, product, amount, word, consent);
    }

    function _settleNonce(uint32 household, uint256 nonce, uint96 redemption) private {
        _usedNonces[household][nonce] = redemption;
        emit AuthorizationSettled(household, nonce, redemption);
    }

    function _record(
        uint64 id,
        uint32 supplier,
        uint32 product,
        uint64 amount,
        uint256 word,
        Consent consent
    ) private returns (uint96 redemption) {
        word = word.spend(amount);
        redemption = (uint96(id) << 32) | word.redemptionsOf();
        // Cannot overflow: seconds of this age and at most 2^16 hours in 256 bits.
        uint40 deadline;
        unchecked {
            deadline = uint40(block.timestamp + uint256(word.claimWindowHoursOf()) * 1 hours);
        }
        _vouchers[id] = word;
        _redemptions[redemption] = VoucherSlot.openRedemption(supplier, product, amount, deadline, word.expiryDayOf());
        emit VoucherRedeemed(
            redemption,
            supplier,
            product,
            amount,
            word.remainingOf(),
            deadline,
            consent == Consent.Given
        );
    }
}
