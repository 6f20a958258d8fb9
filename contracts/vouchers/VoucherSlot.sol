// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IVouchers} from "./IVouchers.sol";

/// @title VoucherSlot
/// @notice A voucher in exactly one storage word, and a redemption in one.
/// @dev Packed by hand: the compiler would read and write a storage struct member by member.
library VoucherSlot {
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

    /// @notice Bits, from the lowest: supplier 32, product 32, amount 64, deadline 40, status 8, flagged 8.
    function packRedemption(IVouchers.Redemption memory redemption) internal pure returns (uint256 word) {
        word = redemption.supplier;
        word |= uint256(redemption.product) << 32;
        word |= uint256(redemption.amount) << 64;
        word |= uint256(redemption.deadline) << 128;
        word |= uint256(redemption.status) << 168;
        if (redemption.flagged) word |= 1 << 176;
    }

    function unpackRedemption(uint256 word) internal pure returns (IVouchers.Redemption memory redemption) {
        redemption.supplier = uint32(word);
        redemption.product = uint32(word >> 32);
        redemption.amount = uint64(word >> 64);
        redemption.deadline = uint40(word >> 128);
        redemption.status = IVouchers.RedemptionStatus(uint8(word >> 168));
        redemption.flagged = uint8(word >> 176) != 0;
    }
}
