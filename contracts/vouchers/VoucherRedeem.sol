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
    enum Consent {
        None,
        Given,
        Refused
    }

    /// @dev What the orders of one call share, and the verdict on the last parties seen.
    struct Round {
        address caller;
        bool isOperator;
        bool consentRequired;
        uint24 today;
        bool known;
        uint32 supplier;
        uint32 product;
        uint32 plan;
        uint16 partyRules;
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
        Voucher memory voucher = _load(order.voucher);
        uint16 rules = _review(_newRound(msg.sender), order, voucher, Consent.None);
        require(rules == 0, RedemptionRuleBroken(order.voucher, rules));
        return _record(order, voucher, false);
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
        require(next == authorizations.length, AuthorizationsNotAscending(_orderAt(authorizations, next)));
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
            Voucher memory voucher = voucherOf(orders[i].voucher);
            if (voucher.status == Status.None) (voucher, hint) = _foreseen(openings, orders[i].voucher, hint);
            Consent consent = Consent.None;
            if (next < authorizations.length && authorizations[next].order == i) {
                consent = _consentOf(orders[i], voucher.household, authorizations[next++]);
            }
            rules[i] = _review(round, orders[i], voucher, consent);
        }
        require(next == authorizations.length, AuthorizationsNotAscending(_orderAt(authorizations, next)));
    }

    /// @notice Whether a signature holds for an account.
    /// @dev Called by the ledger itself, so that a contract wallet spends at most `SIGNATURE_GAS`.
    function isSignatureValid(address account, bytes32 digest, bytes calldata signature) external view returns (bool) {
        return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
    }

    // Rules.

    /// @dev The rules that an order breaks. Each caller brings the voucher, status None when there is none.
    function _review(
        Round memory round,
        RedemptionOrder calldata order,
        Voucher memory voucher,
        Consent consent
    ) private view returns (uint16 rules) {
        Terms memory terms = _terms[voucher.certificate];
        _lookUpParties(round, order.supplier, order.product, voucher.plan, terms.listsProducts);
        rules = round.partyRules;
        uint64 amount = order.amount;
        if (amount == 0) rules |= RedemptionRules.AMOUNT_POSITIVE;
        if (round.maxAmount != 0 && amount > round.maxAmount) rules |= RedemptionRules.PRODUCT_LIMIT;
        if (consent == Consent.Refused || (consent == Consent.None && round.consentRequired)) {
            rules |= RedemptionRules.HOUSEHOLD_AUTHORISED;
        }
        bool permitted = round.isOperator || consent == Consent.Given || round.caller == round.account;
        if (!permitted) rules |= RedemptionRules.CALLER_AUTHORISED;
        if (voucher.status == Status.None) return rules | RedemptionRules.VOUCHER_EXISTS;
        return rules | _voucherRules(voucher, terms.halted, amount, round.today);
    }

    function _voucherRules(
        Voucher memory voucher,
        bool halted,
        uint64 amount,
        uint24 today
    ) private pure returns (uint16 rules) {
        bool spent = voucher.remaining == 0 || voucher.redemptions == type(uint24).max;
        if (voucher.status != Status.Active || halted || spent) rules |= RedemptionRules.VOUCHER_ACTIVE;
        if (today > voucher.expiryDay) rules |= RedemptionRules.VOUCHER_NOT_EXPIRED;
        if (today < voucher.startDay) rules |= RedemptionRules.VOUCHER_STARTED;
        if (amount > voucher.remaining) rules |= RedemptionRules.AMOUNT_WITHIN_BALANCE;
    }

    function _newRound(address caller) private view returns (Round memory round) {
        round.caller = caller;
        round.isOperator = _holdsRole(Roles.OPERATOR, caller);
        round.consentRequired = _totals.authorizationRequired;
        round.today = _today();
    }

    /// @dev Asks for the parties unless the last order had the same.
    function _lookUpParties(
        Round memory round,
        uint32 supplier,
        uint32 product,
        uint32 plan,
        bool listsProducts
    ) private view {
        if (round.known && round.supplier == supplier && round.product == product && round.plan == plan) return;
        (round.partyRules, round.maxAmount, round.account) = PARTICIPANTS.redemptionParties(
            supplier,
            product,
            plan,
            listsProducts
        );
        (round.known, round.supplier, round.product, round.plan) = (true, supplier, product, plan);
    }

    /// @dev The voucher that one of the openings would open. Searches on from `hint`, so that openings in the orders'
    /// own sequence are found at once.
    function _foreseen(
        Opening[] calldata openings,
        uint64 id,
        uint256 hint
    ) private view returns (Voucher memory voucher, uint256) {
        for (uint256 i = 0; i < openings.length; ++i) {
            uint256 index = (hint + i) % openings.length;
            if (openings[index].voucher != id) continue;
            voucher = _proven(openings[index]);
            if (voucher.status != Status.None) return (voucher, index);
        }
        return (voucher, hint);
    }

    // Authorisations.

    function _settleAuthorized(
        Round memory round,
        uint256 index,
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) private {
        Voucher memory voucher = voucherOf(order.voucher);
        Consent consent = _consentOf(order, voucher.household, authorization);
        uint16 rules = _review(round, order, voucher, consent);
        if (rules != 0) {
            emit RedemptionRefused(index, order.voucher, rules);
            return;
        }
        uint96 redemption = _record(order, voucher, true);
        _usedNonces[voucher.household][authorization.nonce] = redemption;
        emit AuthorizationSettled(voucher.household, authorization.nonce, redemption);
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
        return
            _hashTypedDataV4(
                keccak256(
                    abi.encode(
                        AUTHORIZATION_TYPEHASH,
                        order.voucher,
                        order.supplier,
                        order.product,
                        order.amount,
                        authorization.nonce,
                        authorization.deadline
                    )
                )
            );
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

    function _orderAt(Authorization[] calldata authorizations, uint256 index) private pure returns (uint32) {
        return index < authorizations.length ? authorizations[index].order : 0;
    }

    // Records.

    function _settleOrder(Round memory round, uint256 index, RedemptionOrder calldata order) private {
        Voucher memory voucher = voucherOf(order.voucher);
        uint16 rules = _review(round, order, voucher, Consent.None);
        if (rules == 0) _record(order, voucher, false);
        else emit RedemptionRefused(index, order.voucher, rules);
    }

    function _record(
        RedemptionOrder calldata order,
        Voucher memory voucher,
        bool authorized
    ) private returns (uint96 redemption) {
        uint64 remaining = voucher.remaining - order.amount;
        voucher.remaining = remaining;
        redemption = (uint96(order.voucher) << 32) | ++voucher.redemptions;
        uint40 deadline = uint40(block.timestamp + uint256(voucher.claimWindowHours) * 1 hours);
        _save(order.voucher, voucher);
        _redemptions[redemption] = VoucherSlot.packRedemption(
            Redemption({
                supplier: order.supplier,
                product: order.product,
                amount: order.amount,
                deadline: deadline,
                status: RedemptionStatus.Open,
                flagged: false
            })
        );
        emit VoucherRedeemed(redemption, order.supplier, order.product, order.amount, remaining, deadline, authorized);
    }
}
