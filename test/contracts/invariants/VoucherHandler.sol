// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IParticipants} from "../../../contracts/participants/IParticipants.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {HandlerState} from "./HandlerState.sol";

/// @title VoucherHandler
/// @notice Fuzzed actions on certificates and vouchers. An action that reverts changes nothing here either.
abstract contract VoucherHandler is HandlerState {
    uint256 private constant MAX_CERTIFICATES = 8;

    function register(uint256 seed, uint64 amount, bool allocated, bool planned) public tracked {
        vm.assume(_certificates.length < MAX_CERTIFICATES);
        uint256 number = _certificates.length + 1;
        uint32 count = allocated ? uint32(bound(seed, 1, HOUSEHOLDS)) : 0;
        (bytes memory leaves, uint64 sum) = allocation(count, amount);
        ICertificates.Registration memory entry = registration(number, planned ? 1 : 0, sum, count);
        vm.prank(registrar);
        uint32 index =
            count == 0 ? certificates.registerCertificate(entry) : certificates.registerAllocated(entry, leaves);
        _certificates.push(CertificateItem(index, leaves, sum, count == 0));
    }

    function registerWhole(uint64 amount) internal {
        uint256 number = _certificates.length + 1;
        vm.prank(registrar);
        uint32 index = certificates.registerCertificate(registration(number, 0, amount, 0));
        _certificates.push(CertificateItem(index, "", amount, true));
    }

    /// @dev The allocation is recorded after the registration.
    function registerThenRecord(uint256 seed, uint64 amount) external tracked {
        vm.assume(_certificates.length < MAX_CERTIFICATES);
        uint256 number = _certificates.length + 1;
        (bytes memory leaves, uint64 sum) = allocation(uint32(bound(seed, 1, HOUSEHOLDS)), amount);
        vm.prank(registrar);
        uint32 index = certificates.registerCertificate(registration(number, 0, sum, uint32(leaves.length / 12)));
        vm.prank(registrar);
        certificates.recordAllocation(index, leaves);
        _certificates.push(CertificateItem(index, leaves, sum, false));
    }

    function setCertificateStatus(uint256 seed, uint8 status) external tracked {
        CertificateItem storage item = pickCertificate(seed);
        vm.prank(registrar);
        // Actions that end or stop much are rare, here and below, so that the fuzzer gets further.
        ICertificates.Status to = status % 8 == 0 ? ICertificates.Status.Suspended : ICertificates.Status.Valid;
        if (status < 2) to = ICertificates.Status.Revoked;
        certificates.setCertificateStatus(item.index, to, "");
        if (to == ICertificates.Status.Revoked) _finalFrom[item.index] = (block.timestamp / 1 days + 2) * 1 days;
    }

    /// @dev Veto the first revoked certificate, starting at the seed's, mostly by the guardian and mostly in time.
    function vetoRevocation(uint256 seed, uint8 who) external tracked {
        uint256 count = _certificates.length;
        for (uint256 i = 0; i < count; ++i) {
            uint32 index = _certificates[((seed % count) + i) % count].index;
            if (certificates.certificateOf(index).status != ICertificates.Status.Revoked) continue;
            bool isIntruder = who % 8 == 0;
            vm.prank(isIntruder ? registrar : guardian);
            certificates.vetoRevocation(index, "");
            if (isIntruder) violate("R5: a revocation was vetoed by another than the guardian");
            if (block.timestamp >= _finalFrom[index]) violate("R5: a final revocation was vetoed");
            return;
        }
        vm.assume(false);
    }

    function issueChunk(uint256 seed, uint8 start, uint8 length) public tracked {
        CertificateItem storage item = pickCertificate(seed);
        (uint24 startDay, uint24 expiryDay) = dates(start, length);
        vm.prank(operator);
        uint32 count = vouchers.issueChunks(item.index, 0, 1, startDay, expiryDay, "B");
        rememberBatch(certificateAt(seed), count);
    }

    function issueOne(uint256 seed, uint256 position, uint8 start, uint8 length, bool wrong) public tracked {
        IVouchers.IssueOrder memory order = issueOrder(seed, position, start, length);
        if (wrong) ++order.value;
        vm.prank(operator);
        uint64 id = vouchers.issue(order);
        remember(VoucherItem(id, certificateAt(seed), order.household, order.value, 0, false));
    }

    function issueMany(uint256 seed, uint256 position, uint8 start, uint8 length) external tracked {
        IVouchers.IssueOrder[] memory orders = new IVouchers.IssueOrder[](2);
        orders[0] = issueOrder(seed, position, start, length);
        orders[1] = issueOrder(seed, position + 1 + (seed % 3), start, length);
        vm.prank(operator);
        uint64[] memory ids = vouchers.issueMany(orders);
        for (uint256 i = 0; i < 2; ++i)
            remember(VoucherItem(ids[i], certificateAt(seed), orders[i].household, orders[i].value, 0, false));
    }

    /// @dev Opens a voucher of a batch, sometimes with a proof that does not hold.
    function open(uint256 seed, bool wrong) external tracked {
        vm.assume(_vouchers.length > 0);
        IVouchers.Opening[] memory openings = openingsOf(seed % _vouchers.length);
        vm.assume(openings.length > 0);
        if (wrong) ++openings[0].value;
        vm.prank(stranger);
        vouchers.open(openings[0]);
        if (wrong) violate("V5: a voucher was opened with another value");
    }

    function suspend(uint256 seed) external tracked {
        vm.assume(seed % 4 == 0);
        uint64 id = pickOpen(seed);
        vm.prank(evaluator);
        vouchers.suspend(id, "");
    }

    function reactivate(uint256 seed) external tracked {
        (, uint64 id) = pickVoucher(seed, IVouchers.Status.Suspended);
        vm.prank(registrar);
        vouchers.reactivate(id, "");
    }

    function cancel(uint256 seed) external tracked {
        vm.assume(seed % 3 == 0);
        uint64 id = pickOpen(seed);
        vm.prank(implementers[1]);
        vouchers.cancel(id, "");
        flow(implementers[1], vouchers.voucherOf(id).remaining);
    }

    function reissue(uint256 seed, uint8 start, uint8 length) external tracked {
        (uint256 at, uint64 id) = pickVoucher(seed, IVouchers.Status.Cancelled);
        VoucherItem memory item = _vouchers[at];
        uint64 rest = vouchers.voucherOf(id).remaining;
        (uint24 startDay, uint24 expiryDay) = dates(start, length);
        uint24 earliest = vouchers.reissueExpiry(id);
        if (length % 2 == 0 && expiryDay < earliest) expiryDay = earliest + length;
        vm.prank(operator);
        uint64 replacement = vouchers.reissue(id, startDay, expiryDay, "R");
        bool isShort = expiryDay < earliest || expiryDay < block.timestamp / 1 days;
        if (isShort) violate("V12: a reissued voucher is good for less than the rest");
        flow(operator, rest);
        --vouchersOf[item.certificate][item.household];
        remember(VoucherItem(replacement, item.certificate, item.household, rest, 0, false));
    }

    function sweep(uint256 seed) public tracked {
        uint64 id = pickExpired(seed);
        IVouchers.Voucher memory voucher = vouchers.voucherOf(id);
        uint256 held = carbon.balanceOf(address(pool));
        vouchers.sweep(id);
        uint256 moved = carbon.balanceOf(address(pool)) - held;
        swept += moved;
        flow(address(0), moved);
        uint256 today = block.timestamp / 1 days;
        if (today <= voucher.expiryDay || today <= issuedDay[id] + 30) violate("V12: a balance was swept too early");
        if (voucher.status != IVouchers.Status.Active) violate("V12: a voucher that was not active was swept");
    }

    function reverse(uint256 seed, bool bySupplier) external tracked {
        vm.assume(seed % 4 == 0);
        uint96 id = pickRedemption(seed);
        uint256 held = carbon.balanceOf(address(pool));
        vm.prank(bySupplier ? suppliers[vouchers.redemptionOf(id).supplier] : operator);
        vouchers.reverse(id, "");
        if (!bySupplier) flow(address(vouchers), vouchers.redemptionOf(id).amount);
        requireNotInPool(held);
    }

    function lapse(uint256 seed) external tracked {
        (, uint96 id) = pickIn(
            seed,
            seed % 4 == 0 ? IVouchers.RedemptionStatus.Rejected : IVouchers.RedemptionStatus.Open
        );
        uint256 held = carbon.balanceOf(address(pool));
        vouchers.lapse(id);
        requireNotInPool(held);
    }

    function flag(uint256 seed) external tracked {
        uint96 id = pickRedemption(seed);
        vm.prank(evaluator);
        vouchers.flagRedemption(id, "");
    }

    function setSupplier(uint8 seed) external tracked {
        uint32 supplier = 1 + (seed % 2);
        vm.prank(registrar);
        participants.setSupplierStatus(supplier, seed % 16 != 0, "");
        vm.prank(evaluator);
        participants.setSupplierFlag(supplier, seed % 8 == 0, "");
    }

    function setProduct(uint8 seed) external tracked {
        vm.prank(registrar);
        participants.setProductStatus(
            1 + (seed % 2),
            seed % 8 == 0 ? IParticipants.ProductStatus.Withdrawn : IParticipants.ProductStatus.Approved
        );
    }

    function requireAuthorization(uint8 seed) external tracked {
        vm.assume(seed % 16 == 0);
        vm.prank(registrar);
        vouchers.setHouseholdAuthorizationRequired(true);
        authorizationRequired = true;
    }

    function passHours(uint256 time) external tracked {
        clock += bound(time, 1, 3 hours);
    }

    function passDays(uint256 time) external tracked {
        clock += bound(time, 1 hours, 2 days);
    }

    function passWeeks(uint256 time) public tracked {
        vm.assume(time % 3 == 0);
        clock += bound(time, 2 days, 25 days);
    }

    // What the actions share.

    function rememberBatch(uint256 certificate, uint32 count) private {
        uint64 first = uint64(vouchers.batchCount()) << 32;
        for (uint32 i = 0; i < count; ++i) {
            (uint32 household, uint64 value) = leafAt(_certificates[certificate].leaves, i);
            remember(VoucherItem(first | i, certificate, household, value, i, true));
        }
    }

    function requireNotInPool(uint256 held) private {
        if (carbon.balanceOf(address(pool)) != held) violate("V12: a refund reached the pool");
    }

    function remember(VoucherItem memory item) private {
        _vouchers.push(item);
        issuedDay[item.id] = block.timestamp / 1 days;
        uint32 batch = uint32(item.id >> 32);
        firstExpiry[item.id] = batch == 0 ? vouchers.voucherOf(item.id).expiryDay : vouchers.batchOf(batch).expiryDay;
        if (++vouchersOf[item.certificate][item.household] > 1)
            violate("V6: two vouchers of one certificate and household");
    }

    /// @dev The first households, each with about the same amount.
    function allocation(uint32 count, uint64 amount) private pure returns (bytes memory leaves, uint64 sum) {
        uint64 each = uint64(bound(amount, TONNE, 400 * TONNE));
        if (count == 0) return (leaves, each);
        for (uint32 i = 1; i <= count; ++i) {
            leaves = abi.encodePacked(leaves, i, each + i);
            sum += each + i;
        }
    }

    function issueOrder(
        uint256 seed,
        uint256 position,
        uint8 start,
        uint8 length
    ) private view returns (IVouchers.IssueOrder memory order) {
        CertificateItem storage item = pickCertificate(seed);
        (order.startDay, order.expiryDay) = dates(start, length);
        (order.certificate, order.household, order.value) = (item.index, 1, item.verified);
        if (item.whole) return order;
        order.leaf = uint32(position % (item.leaves.length / 12));
        (order.household, order.value) = leafAt(item.leaves, order.leaf);
        order.proof = proofOf(item.leaves, order.leaf);
    }

    function openingsOf(uint256 at) internal view returns (IVouchers.Opening[] memory openings) {
        VoucherItem memory item = _vouchers[at];
        if (!item.inBatch) return openings;
        openings = new IVouchers.Opening[](1);
        bytes32[] memory proof = proofOf(_certificates[item.certificate].leaves, item.position);
        openings[0] = IVouchers.Opening(item.id, item.household, item.value, proof);
    }

    /// @dev The first voucher in a status, starting at the seed's.
    function pickVoucher(uint256 seed, IVouchers.Status status) private view returns (uint256 at, uint64 id) {
        for (uint256 i = 0; i < _vouchers.length; ++i) {
            at = ((seed % _vouchers.length) + i) % _vouchers.length;
            id = _vouchers[at].id;
            if (vouchers.voucherOf(id).status == status) return (at, id);
        }
        vm.assume(false);
    }

    /// @dev Mostly the first ended voucher with a balance, starting at the seed's, sometimes any.
    function pickExpired(uint256 seed) private returns (uint64 id) {
        uint256 count = _vouchers.length;
        if (seed % 8 == 0) return pickOpen(seed);
        for (uint256 i = 0; i < count; ++i) {
            uint256 at = ((seed % count) + i) % count;
            id = _vouchers[at].id;
            IVouchers.Voucher memory voucher = vouchers.voucherOf(id);
            bool isOpen = voucher.status != IVouchers.Status.None;
            uint256 end = isOpen ? voucher.expiryDay : vouchers.batchOf(uint32(id >> 32)).expiryDay;
            if (end >= block.timestamp / 1 days || (isOpen && voucher.remaining == 0)) continue;
            return pickOpen(at);
        }
        vm.assume(false);
    }

    /// @dev A voucher's id, opened if it was not.
    function pickOpen(uint256 seed) private returns (uint64 id) {
        vm.assume(_vouchers.length > 0);
        uint256 at = seed % _vouchers.length;
        id = _vouchers[at].id;
        if (vouchers.voucherOf(id).status == IVouchers.Status.None) vouchers.open(openingsOf(at)[0]);
    }

    function pickRedemption(uint256 seed) internal view returns (uint96) {
        vm.assume(_redemptions.length > 0);
        return _redemptions[seed % _redemptions.length].id;
    }

    function certificateAt(uint256 seed) private view returns (uint256) {
        return seed % _certificates.length;
    }

    function pickCertificate(uint256 seed) private view returns (CertificateItem storage) {
        vm.assume(_certificates.length > 0);
        return _certificates[certificateAt(seed)];
    }

    function dates(uint8 start, uint8 length) private view returns (uint24 startDay, uint24 expiryDay) {
        startDay = uint24(block.timestamp / 1 days) + (start % 8 == 0 ? 1 : 0);
        expiryDay = startDay + length / 2;
    }

    function leafAt(bytes memory leaves, uint256 i) internal pure returns (uint32 household, uint64 value) {
        uint256 word;
        assembly ("memory-safe") {
            word := shr(160, mload(add(add(leaves, 0x20), mul(i, 12))))
        }
        return (uint32(word >> 64), uint64(word));
    }
}
