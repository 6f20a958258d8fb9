// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {VoucherSlot} from "../../../contracts/vouchers/VoucherSlot.sol";

/// @title VoucherSlotTest
/// @notice Words and structs hold the same, and a change of a word changes no other field.
contract VoucherSlotTest {
    function testFuzzVoucherSurvivesPacking(uint256 bits, uint8 status) public pure {
        uint256 word = voucherWord(bits, status);
        IVouchers.Voucher memory voucher = VoucherSlot.unpack(word);
        require(VoucherSlot.pack(voucher) == word, "packed differs");
        require(VoucherSlot.remainingOf(word) == voucher.remaining, "remaining");
        require(VoucherSlot.startDayOf(word) == voucher.startDay, "startDay");
        require(VoucherSlot.expiryDayOf(word) == voucher.expiryDay, "expiryDay");
        require(VoucherSlot.certificateOf(word) == voucher.certificate, "certificate");
        require(VoucherSlot.householdOf(word) == voucher.household, "household");
        require(VoucherSlot.planOf(word) == voucher.plan, "plan");
        require(VoucherSlot.redemptionsOf(word) == voucher.redemptions, "redemptions");
        require(VoucherSlot.claimWindowHoursOf(word) == voucher.claimWindowHours, "claimWindowHours");
        require(VoucherSlot.isActive(word) == (voucher.status == IVouchers.Status.Active), "status");
    }

    function testFuzzRedemptionSurvivesPacking(
        uint168 bits,
        uint8 status,
        bool flagged,
        uint24 expiryDay,
        uint8 consent
    ) public pure {
        uint256 word = bits | (uint256(status % 9) << 168) | (flagged ? uint256(1) << 176 : 0);
        word |= (uint256(expiryDay) << 184) | (uint256(consent % 4) << 208);
        IVouchers.Redemption memory redemption = VoucherSlot.unpackRedemption(word);
        require(uint8(redemption.status) == status % 9 && redemption.flagged == flagged, "status or flag");
        require(redemption.amount == uint64(bits >> 64) && redemption.deadline == uint40(bits >> 128), "amount");
        require(redemption.expiryDay == expiryDay, "expiry day");
        require(VoucherSlot.supplierOf(word) == redemption.supplier, "supplier");
        require(VoucherSlot.productOf(word) == redemption.product, "product");
        require(VoucherSlot.amountOf(word) == redemption.amount, "amount of the word");
        require(VoucherSlot.deadlineOf(word) == redemption.deadline, "deadline of the word");
        require(VoucherSlot.redemptionStatusOf(word) == redemption.status, "status of the word");
        require(VoucherSlot.redeemedExpiryDayOf(word) == redemption.expiryDay, "expiry day of the word");
        require(uint8(redemption.consent) == consent % 4, "consent");
    }

    function testFuzzOrderIsReadIntoItsRedemptionsPlaces(IVouchers.RedemptionOrder calldata order) public pure {
        uint256 sale = VoucherSlot.readOrder(order);
        require(VoucherSlot.voucherOf(sale) == order.voucher, "voucher");
        require(VoucherSlot.supplierOf(sale) == order.supplier, "supplier");
        require(VoucherSlot.productOf(sale) == order.product, "product");
        require(VoucherSlot.amountOf(sale) == order.amount, "amount");
        require(sale >> 192 == 0, "order");
    }

    function testFuzzRedemptionChangesStateAndFlagAlone(
        uint64 voucher,
        uint168 bits,
        uint24 expiryDay,
        uint8 status,
        uint8 level
    ) public pure {
        uint256 open = uint256(IVouchers.RedemptionStatus.Open) << 168;
        IVouchers.Redemption memory redemption = VoucherSlot.unpackRedemption(
            bits | open | (uint256(expiryDay) << 184) | (uint256(level % 4) << 208)
        );
        // The packed order has its voucher above the redemption's fields.
        uint256 sale = uint128(bits) | (uint256(voucher) << 128);
        uint256 word = VoucherSlot.openRedemption(
            sale,
            (uint256(expiryDay) << 88) | voucher,
            redemption.deadline,
            redemption.consent
        );
        requireSameRedemption(word, redemption);
        redemption.status = IVouchers.RedemptionStatus(status % 9);
        requireSameRedemption(VoucherSlot.withStatus(word, redemption.status), redemption);
        redemption.flagged = true;
        requireSameRedemption(VoucherSlot.withStatus(VoucherSlot.flag(word), redemption.status), redemption);
        requireSameRedemption(VoucherSlot.flag(VoucherSlot.withStatus(word, redemption.status)), redemption);
    }

    function testFuzzRevokingTakesTheBalanceAlone(uint256 bits, uint8 status) public pure {
        uint256 word = voucherWord(bits, status);
        IVouchers.Voucher memory voucher = VoucherSlot.unpack(word);
        require(VoucherSlot.isSuspended(word) == (voucher.status == IVouchers.Status.Suspended), "status");
        (voucher.remaining, voucher.status) = (0, IVouchers.Status.Revoked);
        requireSame(VoucherSlot.unpack(VoucherSlot.revoke(word)), voucher);
    }

    function testFuzzSpendingChangesBalanceAndCountAlone(uint256 bits, uint8 status, uint64 amount) public pure {
        IVouchers.Voucher memory voucher = VoucherSlot.unpack(voucherWord(bits, status));
        amount = voucher.remaining == type(uint64).max ? amount : amount % (voucher.remaining + 1);
        if (voucher.redemptions == type(uint24).max) --voucher.redemptions;
        uint256 word = VoucherSlot.spend(VoucherSlot.pack(voucher), amount);
        voucher.remaining -= amount;
        ++voucher.redemptions;
        requireSame(VoucherSlot.unpack(word), voucher);
    }

    function testFuzzBatchSurvivesPackingAndOpens(
        IVouchers.Batch memory batch,
        uint64 number,
        uint16 back,
        uint32 household,
        uint64 value
    ) public pure {
        if (number < back) number = back;
        uint256 template = VoucherSlot.pack(
            IVouchers.Voucher({
                remaining: VoucherSlot.packPlace(batch.count, batch.chunk) | VoucherSlot.packBack(back),
                startDay: batch.startDay,
                expiryDay: batch.expiryDay,
                certificate: batch.certificate,
                household: 0,
                plan: batch.plan,
                redemptions: 0,
                claimWindowHours: batch.claimWindowHours,
                status: IVouchers.Status.Active
            })
        );
        require(VoucherSlot.keyBatchOf(template, number) == number - back, "batch of the keys differs");
        bytes32 unpacked = keccak256(abi.encode(VoucherSlot.unpackBatch(template, batch.root)));
        require(unpacked == keccak256(abi.encode(batch)), "batch differs");
        IVouchers.Voucher memory voucher = IVouchers.Voucher({
            remaining: value,
            startDay: batch.startDay,
            expiryDay: batch.expiryDay,
            certificate: batch.certificate,
            household: household,
            plan: batch.plan,
            redemptions: 0,
            claimWindowHours: batch.claimWindowHours,
            status: IVouchers.Status.Active
        });
        requireSame(VoucherSlot.unpack(VoucherSlot.openVoucher(template, household, value)), voucher);
    }

    /// @dev Any bits but those of the status, which must be one of the seven.
    function voucherWord(uint256 bits, uint8 status) private pure returns (uint256) {
        return ((bits << 8) >> 8) | (uint256(status % 7) << 248);
    }

    function requireSame(IVouchers.Voucher memory a, IVouchers.Voucher memory b) private pure {
        require(keccak256(abi.encode(a)) == keccak256(abi.encode(b)), "voucher differs");
    }

    function requireSameRedemption(uint256 word, IVouchers.Redemption memory redemption) private pure {
        bytes memory unpacked = abi.encode(VoucherSlot.unpackRedemption(word));
        require(keccak256(unpacked) == keccak256(abi.encode(redemption)), "redemption differs");
    }
}
