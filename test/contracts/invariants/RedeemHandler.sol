// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {RedemptionRules} from "../../../contracts/shared/RedemptionRules.sol";
import {IParticipants} from "../../../contracts/participants/IParticipants.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {VoucherHandler} from "./VoucherHandler.sol";

/// @title RedeemHandler
/// @notice Fuzzed redemptions in every form: by operator, supplier and household, alone and in batches.
abstract contract RedeemHandler is VoucherHandler {
    function redeem(uint256 seed, uint256 amount, uint8 supplier, uint8 product, uint8 caller) external tracked {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, product);
        IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](2);
        // The first order is always invalid and must never affect the second.
        orders[0] = IVouchers.RedemptionOrder(type(uint64).max, 1, 1, 1);
        orders[1] = order;
        Sight memory sight = see(at, order);
        address sender = caller < 192 ? operator : [suppliers[1], suppliers[2], stranger][caller % 3];
        vm.prank(sender);
        vouchers.redeemMany(openingsOf(at), orders, new IVouchers.Authorization[](0));
        bool permitted = sender == operator || sender == suppliers[order.supplier % 3];
        observe(at, order, sight, permitted && !authorizationRequired);
    }

    /// @dev Orders that only the voucher's state can stop, one for each of three vouchers.
    function redeemPlainly(uint256 seed, uint256 amount) external tracked {
        for (uint256 i = 0; i < 3; ++i) {
            (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed / (i + 1), amount, 1, 1);
            order.supplier = 1 + uint32((seed + i) % 2);
            order.amount = uint64(bound(amount, 1, 1 + _vouchers[at].value / 8));
            Sight memory sight = see(at, order);
            IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](1);
            orders[0] = order;
            vm.prank(operator);
            vouchers.redeemMany(openingsOf(at), orders, new IVouchers.Authorization[](0));
            observe(at, order, sight, !authorizationRequired);
        }
    }

    function redeemByHousehold(
        uint256 seed,
        uint256 amount,
        uint8 supplier,
        uint8 product,
        uint256 nonce,
        bool forged
    ) external tracked {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, product);
        Sight memory sight = see(at, order);
        IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](1);
        orders[0] = order;
        IVouchers.Authorization[] memory consents = new IVouchers.Authorization[](1);
        nonce %= 12;
        consents[0] = consentTo(order, nonce, forged ? otherKey(at) : keyOf(at));
        vm.prank(stranger);
        vouchers.redeemMany(openingsOf(at), orders, consents);
        consented(at, nonce, observe(at, order, sight, !forged));
    }

    /// @dev One order by itself: of an open voucher (0), opening it (1), or with the household's consent (2).
    function redeemAlone(uint256 seed, uint256 amount, uint8 supplier, uint8 form, uint256 nonce) external tracked {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, uint8(seed >> 8));
        Sight memory sight = see(at, order);
        bool bySupplier = form >= 192;
        form %= 3;
        nonce %= 12;
        if (form == 2) {
            IVouchers.Authorization memory consent = consentTo(order, nonce, keyOf(at));
            vm.prank(stranger);
            vouchers.redeemAuthorized(order, consent);
            return consented(at, nonce, observe(at, order, sight, true));
        }
        IVouchers.Opening[] memory openings = openingsOf(at);
        address sender = bySupplier ? suppliers[1 + (supplier % 2)] : operator;
        vm.prank(sender);
        if (form == 0) vouchers.redeem(order);
        else if (openings.length == 0) vouchers.redeemOpening(order, 0, 0, new bytes32[](0));
        else vouchers.redeemOpening(order, openings[0].household, openings[0].value, openings[0].proof);
        bool permitted = sender == operator || sender == suppliers[order.supplier % 3];
        if (observe(at, order, sight, permitted && !authorizationRequired) == 0)
            violate("V11: a single redemption succeeded and was not recorded");
    }

    /// @dev A PIN stated by an operator, or by a supplier, which may not.
    function redeemByPin(uint256 seed, uint256 amount, uint8 supplier, bool bySupplier) external tracked {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, 1);
        Sight memory sight = see(at, order);
        IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](1);
        orders[0] = order;
        IVouchers.Authorization[] memory words = new IVouchers.Authorization[](1);
        words[0].consent = IVouchers.Consent.Pin;
        vm.prank(bySupplier ? suppliers[order.supplier % 3] : operator);
        vouchers.redeemMany(openingsOf(at), orders, words);
        observe(at, order, sight, !bySupplier && !authorizationRequired);
    }

    /// @dev A household's consent counts by the account that it has now. The operator may propose a first one only.
    function proposeHouseholdAccount(uint256 seed) external tracked {
        uint32 household = 1 + uint32(seed % HOUSEHOLDS);
        address account = vm.addr(householdKey(household, _accountChanges[household] + 1));
        address current = participants.householdAccount(household);
        address caller = [current, registrar, operator, evaluator][(seed / 8) % 4];
        vm.prank(caller);
        participants.proposeAccount(IParticipants.Party.Household, household, account);
        if (caller == operator || caller == evaluator)
            violate("A1: a role that may not proposed a household's account");
        _accountProposals[household] = AccountProposal(block.timestamp, caller == current);
    }

    /// @dev By a household that proposed its account itself, or by registrar and evaluator together, and after a day.
    function settleHouseholdAccount(uint256 seed) external tracked {
        uint32 household = 1 + uint32(seed % HOUSEHOLDS);
        AccountProposal storage proposal = _accountProposals[household];
        address account = participants.pendingAccount(IParticipants.Party.Household, household).account;
        vm.assume(account != address(0));
        bool confirms = (seed / 8) % 2 == 0;
        vm.prank(confirms ? evaluator : stranger);
        if (confirms) participants.confirmAccount(household, account);
        else participants.finaliseAccount(IParticipants.Party.Household, household);
        if (confirms) proposal.consented = true;
        if (participants.householdAccount(household) != account) return;
        bool due = block.timestamp >= proposal.time + 1 days;
        if (!due || !proposal.consented) violate("A1: a household's account changed by one role, or within a day");
        ++_accountChanges[household];
    }

    // What the actions share.

    function keyOf(uint256 at) private view returns (uint256) {
        uint32 household = _vouchers[at].household;
        return householdKey(household, _accountChanges[household]);
    }

    /// @dev The household's key before the last change, or one that it never had.
    function otherKey(uint256 at) private view returns (uint256) {
        uint32 household = _vouchers[at].household;
        uint256 changes = _accountChanges[household];
        return changes == 0 ? HOUSEHOLD_KEY + 10_000 : householdKey(household, changes - 1);
    }

    function consented(uint256 at, uint256 nonce, uint96 redemption) private {
        if (redemption == 0) return;
        uint32 household = _vouchers[at].household;
        if (settledNonce[household][nonce] != 0) violate("V10: a nonce settled twice");
        settledNonce[household][nonce] = redemption;
    }

    /// @dev After an attempt: record a redemption that was made, and check that it was allowed.
    function observe(
        uint256 at,
        IVouchers.RedemptionOrder memory order,
        Sight memory sight,
        bool permitted
    ) private returns (uint96 redemption) {
        uint24 count = vouchers.voucherOf(order.voucher).redemptions;
        if (count == sight.voucher.redemptions) return 0;
        redemption = (uint96(order.voucher) << 32) | count;
        IVouchers.Redemption memory record = vouchers.redemptionOf(redemption);
        _redemptions.push(RedemptionItem(redemption, at, record.amount, record.deadline, 1, 0));
        uint256 today = block.timestamp / 1 days;
        bool inDate = today >= sight.voucher.startDay && today <= sight.voucher.expiryDay;
        bool active = sight.voucher.status == IVouchers.Status.Active && sight.spendable;
        bool covered = order.amount > 0 && order.amount <= sight.voucher.remaining;
        countUnchecked(record);
        if (!permitted) violate("V11: a redemption by a caller without permission");
        if (!inDate || !active || !covered) violate("V11: a redemption of a voucher that could not be spent");
        if (sight.partyRules != 0) violate("V11: a redemption with parties that are not approved");
        if (record.deadline != block.timestamp + uint256(sight.voucher.claimWindowHours) * 1 hours) {
            violate("V8: a deadline that is not the plan's");
        }
    }

    /// @dev V14: without a consent that the chain checks, a bucket that refills within a day allows at most twice
    /// its size in a day, under all plans together.
    function countUnchecked(IVouchers.Redemption memory record) private {
        bool isPin = record.consent == IVouchers.Consent.Pin;
        if (!isPin && record.consent != IVouchers.Consent.None) return;
        uint256 cap = isPin ? PIN_CAP : uint256(UNCONSENTED_CAP) * UNIT;
        bytes32 key = isPin ? bytes32("pin") : keccak256(abi.encode("none", record.supplier));
        if (flowSince(key, record.amount) > 2 * cap) violate("V14: more without a checked consent than the cap");
    }

    /// @dev The voucher as it is, or as its leaf says while it is not open.
    function see(uint256 at, IVouchers.RedemptionOrder memory order) private view returns (Sight memory sight) {
        VoucherItem memory item = _vouchers[at];
        sight.voucher = vouchers.voucherOf(item.id);
        if (sight.voucher.status == IVouchers.Status.None) {
            IVouchers.Batch memory batch = vouchers.batchOf(uint32(item.id >> 32));
            sight.voucher.remaining = item.value;
            (sight.voucher.startDay, sight.voucher.expiryDay) = (batch.startDay, batch.expiryDay);
            (sight.voucher.plan, sight.voucher.claimWindowHours) = (batch.plan, batch.claimWindowHours);
            sight.voucher.status = IVouchers.Status.Active;
        }
        sight.spendable = certificates.isSpendable(_certificates[item.certificate].index);
        uint256 verdict = participants.redemptionParties(order.supplier, order.product, sight.voucher.plan, operator);
        uint64 most = uint64(verdict >> RedemptionRules.LIMIT_SHIFT);
        // `permitted` checks the caller and the consent.
        uint16 rules = uint16(verdict) & ~(RedemptionRules.CALLER_AUTHORISED | RedemptionRules.HOUSEHOLD_AUTHORISED);
        sight.partyRules = most != 0 && order.amount > most ? rules | 1 : rules;
    }

    function pickOrder(
        uint256 seed,
        uint256 amount,
        uint8 supplier,
        uint8 product
    ) private view returns (uint256 at, IVouchers.RedemptionOrder memory order) {
        vm.assume(_vouchers.length > 0);
        at = seed % _vouchers.length;
        order.voucher = _vouchers[at].id;
        order.supplier = supplier % 16 == 0 ? 9 : 1 + (supplier % 2);
        order.product = product % 16 == 0 ? 9 : 1 + (product % 2);
        uint64 value = _vouchers[at].value;
        // Mostly parts that fit, sometimes nothing or too much.
        order.amount = uint64(amount % 8 == 0 ? bound(amount, 0, value + value / 8) : bound(amount, 1, value / 4));
    }

    function consentTo(
        IVouchers.RedemptionOrder memory order,
        uint256 nonce,
        uint256 key
    ) private view returns (IVouchers.Authorization memory consent) {
        uint64 deadline = uint64(block.timestamp + 1);
        bytes32 typeHash = keccak256(
            "RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,uint64 deadline)"
        );
        bytes32 content = keccak256(
            abi.encode(typeHash, order.voucher, order.supplier, order.product, order.amount, nonce, deadline)
        );
        return
            IVouchers.Authorization(
                0,
                IVouchers.Consent.Signature,
                deadline,
                nonce,
                signed(key, typedHash("Hearth Vouchers", address(vouchers), content)),
                new bytes32[](0)
            );
    }
}
