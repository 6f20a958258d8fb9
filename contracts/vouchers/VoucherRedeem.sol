// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {RedemptionRules} from "../shared/RedemptionRules.sol";
import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherIssue} from "./VoucherIssue.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherRedeem
/// @notice Redeems vouchers one by one or in batches. One function, `_review`, judges orders for all of them.
abstract contract VoucherRedeem is VoucherIssue, EIP712 {
    using VoucherSlot for uint256;

    enum Consent {
        None,
        Given,
        Refused
    }

    /// @dev What the orders of one call share, and the verdict on the last parties seen. `parties` is their supplier,
    /// product and plan, packed.
    struct Round {
        address caller;
        bool operatorKnown;
        bool isOperator;
        bool consentRequired;
        bool anyHalted;
        uint24 today;
        uint256 parties;
        uint256 partyRules;
        uint64 maxAmount;
        address account;
    }

    bytes32 private constant AUTHORIZATION_TYPEHASH = keccak256(
        "RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,uint64 deadline)"
    );

    /// @notice Gas that a household's contract wallet may spend on checking one signature.
    uint256 public constant SIGNATURE_GAS = 150_000;

    // Redeem.

    /// @inheritdoc IVouchers
    function redeem(RedemptionOrder calldata order) external returns (uint96 redemption) {
        uint256 word = _loadWord(order.voucher);
        uint256 rules = _review(_newRound(msg.sender), order, word, Consent.None);
        require(rules == 0, RedemptionRuleBroken(order.voucher, uint16(rules)));
        return _record(order, word, false);
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
        Consent consent = _consentOf(order, household, authorization);
        uint256 rules = _review(_newRound(msg.sender), order, word, consent);
        require(rules == 0, RedemptionRuleBroken(order.voucher, uint16(rules)));
        return _recordAuthorized(order, word, nonce);
    }

    /// @inheritdoc IVouchers
    function redeemMany(
        Opening[] calldata openings,
        RedemptionOrder[] calldata orders,
        Authorization[] calldata authorizations
    ) external {
        for (uint256 i = 0; i < openings.length; ++i) {
            if (_vouchers[openings[i].voucher] == 0) _open(openings[i]);
        }
        Round memory round = _newRound(msg.sender);
        uint256 next = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            if (next < authorizations.length && authorizations[next].order == i) {
                _settleAuthorized(round, i, orders[i], authorizations[next++]);
            } else {
                _settleOrder(round, i, orders[i]);
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
        Round memory round = _newRound(caller);
        uint256 next = 0;
        uint256 hint = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            uint256 word = _vouchers[orders[i].voucher];
            if (word == 0) (word, hint) = _foreseen(openings, orders[i].voucher, hint);
            Consent consent = Consent.None;
            if (next < authorizations.length && authorizations[next].order == i) {
                consent = _consentOf(orders[i], word.householdOf(), authorizations[next++]);
            }
            rules[i] = uint16(_review(round, orders[i], word, consent));
        }
        _requireAllUsed(authorizations, next);
    }

    /// @notice Whether a signature holds for an account.
    /// @dev Called by the ledger itself, so that a contract wallet spends at most `SIGNATURE_GAS`.
    function isSignatureValid(address account, bytes32 digest, bytes calldata signature) external view returns (bool) {
        return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
    }

    // Rules.

    /// @dev The rules that an order breaks.
    /// @param word The voucher, 0 when there is none or it is not open.
    function _review(
        Round memory round,
        RedemptionOrder calldata order,
        uint256 word,
        Consent consent
    ) private view returns (uint256 rules) {
        _lookUpParties(round, order.supplier, order.product, word.planOf());
        rules = round.partyRules;
        uint64 amount = order.amount;
        if (amount == 0) rules |= RedemptionRules.AMOUNT_POSITIVE;
        if (round.maxAmount != 0 && amount > round.maxAmount) rules |= RedemptionRules.PRODUCT_LIMIT;
        if (consent != Consent.Given) {
            bool refused = consent == Consent.Refused || round.consentRequired;
            if (refused) rules |= RedemptionRules.HOUSEHOLD_AUTHORISED;
            if (!_mayRedeem(round)) rules |= RedemptionRules.CALLER_AUTHORISED;
        }
        if (word == 0) return rules | RedemptionRules.VOUCHER_EXISTS;
        bool isHalted = round.anyHalted && _halted[word.certificateOf()];
        return rules | _voucherRules(word, isHalted, amount, round.today);
    }

    function _voucherRules(
        uint256 word,
        bool isHalted,
        uint64 amount,
        uint256 today
    ) private pure returns (uint256 rules) {
        uint64 remaining = word.remainingOf();
        bool isSpent = remaining == 0 || word.redemptionsOf() == type(uint24).max;
        if (isHalted || isSpent || !word.isActive()) rules = RedemptionRules.VOUCHER_ACTIVE;
        if (today > word.expiryDayOf()) rules |= RedemptionRules.VOUCHER_NOT_EXPIRED;
        if (today < word.startDayOf()) rules |= RedemptionRules.VOUCHER_STARTED;
        if (amount > remaining) rules |= RedemptionRules.AMOUNT_WITHIN_BALANCE;
    }

    function _newRound(address caller) private view returns (Round memory round) {
        Totals storage totals = _totals;
        round.caller = caller;
        round.consentRequired = totals.authorizationRequired;
        round.anyHalted = totals.haltedCount != 0;
        round.today = _today();
        round.parties = type(uint256).max;
    }

    /// @dev Whether the caller may redeem without consent. The role is asked for once, and only if it matters.
    function _mayRedeem(Round memory round) private view returns (bool) {
        if (round.caller == round.account) return true;
        if (!round.operatorKnown) {
            (round.operatorKnown, round.isOperator) = (true, _holdsRole(Roles.OPERATOR, round.caller));
        }
        return round.isOperator;
    }

    /// @dev Asks for the parties unless the last order had the same. Only plans other than the default list products.
    function _lookUpParties(Round memory round, uint32 supplier, uint32 product, uint32 plan) private view {
        uint256 parties = (uint256(supplier) << 64) | (uint256(product) << 32) | plan;
        if (parties == round.parties) return;
        round.parties = parties;
        (round.partyRules, round.maxAmount, round.account) = PARTICIPANTS.redemptionParties(
            supplier,
            product,
            plan,
            plan != 0
        );
    }

    /// @dev The voucher that one of the openings would open. Searches on from `hint`, so that openings in the orders'
    /// own sequence are found at once.
    function _foreseen(
        Opening[] calldata openings,
        uint64 id,
        uint256 hint
    ) private view returns (uint256 word, uint256) {
        for (uint256 i = 0; i < openings.length; ++i) {
            uint256 index = (hint + i) % openings.length;
            if (openings[index].voucher != id) continue;
            word = _proven(openings[index]);
            if (word != 0) return (word, index);
        }
        return (0, hint);
    }

    // Authorisations.

    function _settleAuthorized(
        Round memory round,
        uint256 index,
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) private {
        uint256 word = _vouchers[order.voucher];
        Consent consent = _consentOf(order, word.householdOf(), authorization);
        uint256 rules = _review(round, order, word, consent);
        if (rules == 0) _recordAuthorized(order, word, authorization.nonce);
        else emit RedemptionRefused(index, order.voucher, uint16(rules));
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

    function _settleOrder(Round memory round, uint256 index, RedemptionOrder calldata order) private {
        uint256 word = _vouchers[order.voucher];
        uint256 rules = _review(round, order, word, Consent.None);
        if (rules == 0) _record(order, word, false);
        else emit RedemptionRefused(index, order.voucher, uint16(rules));
    }

    function _recordAuthorized(
        RedemptionOrder calldata order,
        uint256 word,
        uint256 nonce
    ) private returns (uint96 redemption) {
        redemption = _record(order, word, true);
        uint32 household = word.householdOf();
        _usedNonces[household][nonce] = redemption;
        emit AuthorizationSettled(household, nonce, redemption);
    }

    function _record(
        RedemptionOrder calldata order,
        uint256 word,
        bool authorized
    ) private returns (uint96 redemption) {
        (uint64 id, uint32 supplier, uint32 product, uint64 amount) = (
            order.voucher,
            order.supplier,
            order.product,
            order.amount
        );
        word = word.spend(amount);
        redemption = (uint96(id) << 32) | word.redemptionsOf();
        // Cannot overflow: seconds of this age and at most 2^16 hours in 256 bits.
        uint40 deadline;
        unchecked {
            deadline = uint40(block.timestamp + uint256(word.claimWindowHoursOf()) * 1 hours);
        }
        _vouchers[id] = word;
        _redemptions[redemption] = VoucherSlot.openRedemption(supplier, product, amount, deadline);
        emit VoucherRedeemed(redemption, supplier, product, amount, word.remainingOf(), deadline, authorized);
    }
}
