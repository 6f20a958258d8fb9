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

    /// @dev The voucher, or the first one of the batch, that this transaction issued last and committed no keys for.
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
        Voucher memory voucher = Voucher({
            remaining: order.value,
            startDay: dates.startDay,
            expiryDay: dates.expiryDay,
            certificate: order.certificate,
            household: order.household,
            plan: plan,
            redemptions: 0,
            claimWindowHours: PARTICIPANTS.planOf(plan).claimWindowHours,
            status: Status.Active
        });
        _issuedLast = _writeLone(voucher, order.batchId, 0);
        return _issuedLast;
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
        Batch memory record = Batch({
            certificate: certificate,
            plan: plan,
            chunk: chunk,
            startDay: dates.startDay,
            expiryDay: dates.expiryDay,
            count: count,
            claimWindowHours: PARTICIPANTS.planOf(plan).claimWindowHours,
            root: root
        });
        _writeBatch(record, total, batchId);
        return (count, total);
    }

    function _writeBatch(Batch memory record, uint64 total, string calldata batchId) private {
        uint32 batch = ++_totals.batchCount;
        _batches[batch] = BatchRecord({template: VoucherSlot.packBatch(record), root: record.root});
        _issuedLast = uint64(batch) << 32;
        _holdFromSweep(_issuedLast, record.expiryDay);
        emit BatchIssued(
            batch,
            record.certificate,
            record.chunk,
            record.count,
            total,
            record.startDay,
            record.expiryDay,
            batchId
        );
    }
}
