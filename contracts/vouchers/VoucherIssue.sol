// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherSlot} from "./VoucherSlot.sol";
import {VoucherStore} from "./VoucherStore.sol";

/// @title VoucherIssue
/// @notice Issues vouchers against certificates and opens the ones of a batch.
/// @dev Whether a certificate may be issued, to whom and how much, is the certificates contract's verdict.
abstract contract VoucherIssue is VoucherStore {
    struct Dates {
        uint24 startDay;
        uint24 expiryDay;
    }

    /// @dev What this transaction issued last and has committed no keys for: a voucher issued alone, or the first voucher of
    /// the first of the batches that it issued one after the other.
    uint64 private transient _issuedLast;

    /// @notice Whole days from a voucher's issue until it may be swept.
    uint24 public constant SWEEP_GRACE = 30;
    /// @dev Whole days in which the guardian can veto a certificate's revocation.
    uint24 internal constant VETO_DAYS = 1;

    /// @inheritdoc IVouchers
    function issue(IssueOrder calldata order) external onlyRole(Roles.OPERATOR) returns (uint64 voucher) {
        voucher = _issueOne(order);
        _mint(order.value);
    }

    /// @inheritdoc IVouchers
    function issueMany(
        IssueOrder[] calldata orders
    ) external onlyRole(Roles.OPERATOR) returns (uint64[] memory vouchers) {
        vouchers = new uint64[](orders.length);
        uint256 total = 0;
        for (uint256 i = 0; i < orders.length; ++i) {
            vouchers[i] = _issueOne(orders[i]);
            total += orders[i].value;
        }
        _mint(total);
    }

    /// @inheritdoc IVouchers
    function issueChunks(
        uint32 certificate,
        uint32 firstChunk,
        uint32 chunkCount,
        uint24 startDay,
        uint24 expiryDay,
        string calldata batchId
    ) external onlyRole(Roles.OPERATOR) returns (uint32 issuedCount) {
        Dates memory dates = _orderedDates(startDay, expiryDay);
        uint256 sum = 0;
        for (uint32 i = 0; i < chunkCount; ++i) {
            (uint16 count, uint64 total) = _issueChunk(certificate, firstChunk + i, dates, batchId);
            issuedCount += count;
            sum += total;
        }
        _mint(sum);
    }

    /// @inheritdoc IVouchers
    function commitCodes(bytes32 root) external onlyRole(Roles.OPERATOR) {
        uint64 voucher = _issuedLast;
        require(voucher != 0, NothingToCommitTo());
        _issuedLast = 0;
        _commitCodes(voucher, root);
        uint64 batch = voucher >> 32;
        if (batch == 0) return;
        // The other batches up to the last one have the keys too: their templates lead to the first.
        while (++batch <= _totals.batchCount) emit CodesCommitted(batch << 32, root);
    }

    /// @inheritdoc IVouchers
    function open(Opening calldata opening) external {
        uint64 id = opening.voucher;
        Status status = voucherOf(id).status;
        require(status == Status.None, VoucherStatusNotAllowed(id, status));
        uint256 word = _proven(id, opening.household, opening.value, opening.proof);
        require(word != 0, OpeningInvalid(id));
        _vouchers[id] = word;
        emit VoucherOpened(id, opening.household, opening.value);
    }

    /// @dev Writes a voucher that belongs to no batch; its id counts up in batch 0.
    function _writeLone(Voucher memory voucher, string calldata batchId, uint64 replaces) internal returns (uint64 id) {
        id = ++_totals.loneCount;
        _save(id, voucher);
        _holdFromSweep(id, voucher.expiryDay);
        emit VoucherIssued(
            id,
            voucher.certificate,
            voucher.household,
            voucher.remaining,
            voucher.startDay,
            voucher.expiryDay,
            batchId,
            replaces
        );
    }

    /// @dev The one way in which CARBON comes into escrow.
    function _mint(uint256 amount) internal {
        if (amount == 0) return;
        _totals.escrowed += uint128(amount);
        CARBON.mint(amount);
    }

    function _commitCodes(uint64 voucher, bytes32 root) internal {
        _codeRoots[voucher] = root;
        emit CodesCommitted(voucher, root);
    }

    function _holdFromSweep(uint64 id, uint24 expiryDay) private {
        uint24 first = _sweepDay();
        if (first > expiryDay) _sweepDays[id] = first;
    }

    /// @dev Today does not count: at any hour of the first day of sweeping the grace is over.
    function _sweepDay() internal view returns (uint24) {
        return _today() + SWEEP_GRACE + 1;
    }

    function _orderedDates(uint24 startDay, uint24 expiryDay) internal pure returns (Dates memory) {
        require(startDay <= expiryDay, DatesNotOrdered(startDay, expiryDay));
        return Dates(startDay, expiryDay);
    }

    function _issueOne(IssueOrder calldata order) private returns (uint64) {
        Dates memory dates = _orderedDates(order.startDay, order.expiryDay);
        uint32 plan = _issueAgainstCertificate(order);
        Voucher memory voucher = _newVoucher(order.certificate, plan, order.value, dates);
        voucher.household = order.household;
        _issuedLast = _writeLone(voucher, order.batchId, 0);
        return _issuedLast;
    }

    /// @dev An active voucher without its household, or a batch's template, with its place instead of the balance.
    function _newVoucher(
        uint32 certificate,
        uint32 plan,
        uint64 remaining,
        Dates memory dates
    ) private view returns (Voucher memory voucher) {
        voucher.remaining = remaining;
        voucher.startDay = dates.startDay;
        voucher.expiryDay = dates.expiryDay;
        voucher.certificate = certificate;
        voucher.plan = plan;
        voucher.claimWindowHours = PARTICIPANTS.planOf(plan).claimWindowHours;
        voucher.status = Status.Active;
    }

    function _issueAgainstCertificate(IssueOrder calldata order) private returns (uint32 plan) {
        (, uint32 allocationCount) = CERTIFICATES.allocationOf(order.certificate);
        if (allocationCount == 0) {
            return CERTIFICATES.issueWhole(order.certificate, order.household, order.value);
        }
        return CERTIFICATES.issueLeaf(order.certificate, order.leaf, order.household, order.value, order.proof);
    }

    function _issueChunk(
        uint32 certificate,
        uint32 chunk,
        Dates memory dates,
        string calldata batchId
    ) private returns (uint16, uint64) {
        (bytes32 root, uint16 count, uint64 total, uint32 plan) = CERTIFICATES.issueChunk(certificate, chunk);
        if (count == 0) return (0, 0);
        uint64 place = VoucherSlot.packPlace(count, chunk);
        _writeBatch(_newVoucher(certificate, plan, place, dates), root, total, batchId);
        return (count, total);
    }

    function _writeBatch(Voucher memory template, bytes32 root, uint64 total, string calldata batchId) private {
        uint32 batch = ++_totals.batchCount;
        uint64 place = template.remaining;
        // Batches that a transaction issues one after the other share their keys, which are stored with the first one.
        uint32 first = uint32(_issuedLast >> 32);
        if (first == 0) {
            first = batch;
            _issuedLast = uint64(batch) << 32;
        }
        template.remaining = place | VoucherSlot.packBack(batch - first);
        _batches[batch] = BatchRecord({template: VoucherSlot.pack(template), root: root});
        _holdFromSweep(uint64(batch) << 32, template.expiryDay);
        emit BatchIssued(
            batch,
            template.certificate,
            uint32(place >> 16),
            uint16(place),
            total,
            template.startDay,
            template.expiryDay,
            batchId
        );
    }
}
