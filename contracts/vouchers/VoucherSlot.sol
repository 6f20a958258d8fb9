// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IVouchers} from "./IVouchers.sol";

/// @title VoucherSlot
/// @notice A voucher in exactly one storage word, and a redemption in one.
/// @dev Packed by hand: the compiler would read and write a storage struct member by member. Redeeming works on the
/// words themselves, everything else on the structs.
library VoucherSlot {
    uint256 private constant ONE_REDEMPTION = 1 << 208;

    function remainingOf(uint256 word) internal pure returns (uint64) {
        return uint64(word);
    }

    function startDayOf(uint256 word) internal pure returns (uint24) {
        return uint24(word >> 64);
    }

    function expiryDayOf(uint256 word) internal pure returns (uint24) {
        return uint24(word >> 88);
    }

    function certificateOf(uint256 word) internal pure returns (uint32) {
        return uint32(word >> 112);
    }

    function householdOf(uint256 word) internal pure returns (uint32) {
        return uint32(word >> 144);
    }

    function planOf(uint256 word) internal pure returns (uint32) {
        return uint32(word >> 176);
    }

    function redemptionsOf(uint256 word) internal pure returns (uint24) {
        return uint24(word >> 208);
    }

    function claimWindowHoursOf(uint256 word) internal pure returns (uint16) {
        return uint16(word >> 232);
    }

    function isActive(uint256 word) internal pure returns (bool) {
        return word >> 248 == uint256(IVouchers.Status.Active);
    }

    function isSuspended(uint256 word) internal pure returns (bool) {
        return word >> 248 == uint256(IVouchers.Status.Suspended);
    }

    /// @notice The voucher revoked, without a balance.
    function revoke(uint256 word) internal pure returns (uint256) {
        return (((word << 8) >> 72) << 64) | (uint256(IVouchers.Status.Revoked) << 248);
    }

    /// @notice Takes an amount off the balance and counts a redemption. The caller knows that both fit.
    function spend(uint256 word, uint64 amount) internal pure returns (uint256) {
        // The rules have compared the amount with the balance and the count with its maximum.
        unchecked {
            return word - amount + ONE_REDEMPTION;
        }
    }

    /// @notice What a batch's template has in the place of the balance: the count (16), the chunk (32), and `packBack` (16).
    /// Everything else is at the bits where a voucher has it.
    function packPlace(uint16 count, uint32 chunk) internal pure returns (uint64) {
        return uint64(count) | (uint64(chunk) << 16);
    }

    /// @notice How many batches before a batch is the one with which its keys are stored.
    /// @dev No transaction has the gas to issue 2^16 batches.
    function packBack(uint32 batches) internal pure returns (uint64) {
        return uint64(batches) << 48;
    }

    /// @notice The batch with which a batch's keys are stored: itself, or an earlier one that the same transaction issued.
    function keyBatchOf(uint256 template, uint64 batch) internal pure returns (uint64) {
        // Its number counts from 1, and the difference was taken from it.
        unchecked {
            return batch - uint16(template >> 48);
        }
    }

    function unpackBatch(uint256 word, bytes32 root) internal pure returns (IVouchers.Batch memory batch) {
        batch.certificate = certificateOf(word);
        batch.plan = planOf(word);
        batch.chunk = uint32(word >> 16);
        batch.startDay = startDayOf(word);
        batch.expiryDay = expiryDayOf(word);
        batch.count = uint16(word);
        batch.claimWindowHours = claimWindowHoursOf(word);
        batch.root = root;
    }

    /// @notice A new voucher of a batch.
    function openVoucher(uint256 template, uint32 household, uint64 value) internal pure returns (uint256) {
        return ((template >> 64) << 64) | (uint256(household) << 144) | value;
    }

    /// @notice An order in one word: supplier, product and amount at the bits where a redemption has them, above them the voucher.
    /// @dev Reads each word of the order once, and refuses what has more bits than it may, as the compiler does at each use.
    function readOrder(IVouchers.RedemptionOrder calldata order) internal pure returns (uint256 sale) {
        assembly ("memory-safe") {
            let voucher := calldataload(order)
            let supplier := calldataload(add(order, 0x20))
            let product := calldataload(add(order, 0x40))
            let amount := calldataload(add(order, 0x60))
            if or(shr(64, or(voucher, amount)), shr(32, or(supplier, product))) {
                revert(0, 0)
            }
            sale := or(or(supplier, shl(32, product)), or(shl(64, amount), shl(128, voucher)))
        }
    }

    /// @notice The voucher of an order, see `readOrder`.
    function voucherOf(uint256 sale) internal pure returns (uint64) {
        return uint64(sale >> 128);
    }

    /// @notice A new open redemption of a voucher, see `unpackRedemption`.
    /// @param sale See `readOrder`.
    function openRedemption(
        uint256 sale,
        uint256 word,
        uint40 deadline,
        IVouchers.Consent consent
    ) internal pure returns (uint256) {
        return
            uint128(sale) |
            (uint256(deadline) << 128) |
            (uint256(IVouchers.RedemptionStatus.Open) << 168) |
            (uint256(expiryDayOf(word)) << 184) |
            (uint256(consent) << 208);
    }

    /// @notice Bits, from the lowest: remaining 64, startDay 24, expiryDay 24, certificate 32, household 32, plan 32,
    /// redemptions 24, claimWindowHours 16, status 8.
    function pack(IVouchers.Voucher memory voucher) internal pure returns (uint256 word) {
        word = voucher.remaining;
        word |= uint256(voucher.startDay) << 64;
        word |= uint256(voucher.expiryDay) << 88;
        word |= uint256(voucher.certificate) << 112;
        word |= uint256(voucher.household) << 144;
        word |= uint256(voucher.plan) << 176;
        word |= uint256(voucher.redemptions) << 208;
        word |= uint256(voucher.claimWindowHours) << 232;
        word |= uint256(voucher.status) << 248;
    }

    function unpack(uint256 word) internal pure returns (IVouchers.Voucher memory voucher) {
        voucher.remaining = uint64(word);
        voucher.startDay = uint24(word >> 64);
        voucher.expiryDay = uint24(word >> 88);
        voucher.certificate = uint32(word >> 112);
        voucher.household = uint32(word >> 144);
        voucher.plan = uint32(word >> 176);
        voucher.redemptions = uint24(word >> 208);
        voucher.claimWindowHours = uint16(word >> 232);
        voucher.status = IVouchers.Status(uint8(word >> 248));
    }

    function supplierOf(uint256 redemption) internal pure returns (uint32) {
        return uint32(redemption);
    }

    function productOf(uint256 redemption) internal pure returns (uint32) {
        return uint32(redemption >> 32);
    }

    function amountOf(uint256 redemption) internal pure returns (uint64) {
        return uint64(redemption >> 64);
    }

    function deadlineOf(uint256 redemption) internal pure returns (uint40) {
        return uint40(redemption >> 128);
    }

    function redemptionStatusOf(uint256 redemption) internal pure returns (IVouchers.RedemptionStatus) {
        return IVouchers.RedemptionStatus(uint8(redemption >> 168));
    }

    /// @notice The voucher's last day when it was redeemed.
    function redeemedExpiryDayOf(uint256 redemption) internal pure returns (uint24) {
        return uint24(redemption >> 184);
    }

    /// @notice A redemption in another state.
    function withStatus(uint256 word, IVouchers.RedemptionStatus status) internal pure returns (uint256) {
        return (word & ~(uint256(0xff) << 168)) | (uint256(status) << 168);
    }

    /// @notice A redemption whose claim will be reviewed.
    function flag(uint256 word) internal pure returns (uint256) {
        return word | (1 << 176);
    }

    /// @notice Bits, from the lowest: supplier 32, product 32, amount 64, deadline 40, status 8, flagged 8,
    /// expiryDay 24, consent 8.
    function unpackRedemption(uint256 word) internal pure returns (IVouchers.Redemption memory redemption) {
        redemption.supplier = uint32(word);
        redemption.product = uint32(word >> 32);
        redemption.amount = uint64(word >> 64);
        redemption.deadline = uint40(word >> 128);
        redemption.status = IVouchers.RedemptionStatus(uint8(word >> 168));
        redemption.flagged = uint8(word >> 176) != 0;
        redemption.expiryDay = uint24(word >> 184);
        redemption.consent = IVouchers.Consent(uint8(word >> 208));
    }
}
