// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Carbon} from "../../../contracts/carbon/Carbon.sol";
import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {Claims} from "../../../contracts/claims/Claims.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {Itmo} from "../../../contracts/itmo/Itmo.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {Pool} from "../../../contracts/pool/Pool.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {Vouchers} from "../../../contracts/vouchers/Vouchers.sol";
import {HandlerState} from "./HandlerState.sol";
import {Cheats} from "./Vm.sol";
import {World} from "./World.sol";

/// @title SchemeProperties
/// @notice The properties V, P, C, D, R and L of INVARIANTS.md that can be read off the contracts at any time.
abstract contract SchemeProperties is Cheats {
    struct Sums {
        uint256 remaining;
        uint256 open;
        uint256 settled;
        uint256 issued;
    }

    World internal handler;
    Vouchers internal vouchers;
    Certificates internal certificates;
    Carbon internal carbon;
    Claims private claims;
    Pool internal pool;
    Itmo internal itmo;

    function watch(World world) internal {
        handler = world;
        (vouchers, certificates, carbon) = (handler.vouchers(), handler.certificates(), handler.carbon());
        (claims, pool, itmo) = (handler.claims(), handler.pool(), handler.itmo());
    }

    /// @dev V: conservation and the ledger's rules.
    function requireVouchers(uint256 burned) internal view {
        Sums memory sums = addUp();
        uint256 swept = handler.swept();
        // CARBON that the pool paid for and did not receive.
        uint256 unreplaced = handler.replaced();
        for (uint32 i = 1; i < 4; ++i) unreplaced += certificates.replacementOf(i);
        require(
            sums.remaining + sums.open + sums.settled + swept == sums.issued + unreplaced,
            "V1: remaining + redeemed + settled + swept is not what was issued and replaced"
        );
        burned += handler.repaid();
        require(carbon.totalSupply() + burned == sums.issued, "V3: the supply is not what was issued and not burned");
        require(carbon.totalSupply() == heldByAll(), "V3: the supply is not what the holders have");
        require(vouchers.escrowed() == sums.remaining + sums.open, "V4: escrowed() is not what is owed");
        require(
            carbon.balanceOf(address(vouchers)) >= vouchers.escrowed(),
            "V4: the escrow does not cover what is owed"
        );
        requireWithinValue();
    }

    /// @dev P: the pool.
    function requirePool() internal view {
        IPool.Caps memory caps = pool.caps();
        require(carbon.balanceOf(address(pool)) >= pool.carbonReserve(), "P1: less CARBON than is counted");
        require(
            handler.stablecoin().balanceOf(address(pool)) >= pool.stablecoinReserve(),
            "P1: less stablecoin than is counted"
        );
        require(pool.sellableNow(1) <= caps.perTransaction, "P3: more can be sold than the cap");
        uint256 most = pool.sellableNow(1);
        require(pool.quoteSell(uint64(most)) <= pool.stablecoinReserve(), "P1: more can be sold than can be paid");
        require(pool.buyableNow() <= pool.carbonReserve(), "P1: more can be bought than is there");
        for (uint64 amount = 1; amount < 1e12; amount = amount * 7 + 3) {
            require(pool.quoteSell(pool.quoteBuy(amount)) <= amount, "P5: a round trip gains stablecoin");
            require(pool.quoteBuy(pool.quoteSell(amount)) <= amount, "P5: a round trip gains CARBON");
            require(pool.quoteBuy(pool.quoteBuyFor(amount)) >= amount, "P5: a quoted purchase gives less");
        }
    }

    /// @dev C: control and claims.
    function requireControl() internal view {
        require(pool.price() == handler.price(), "C1: the price changed without the council");
        require(pool.fee() == handler.fee(), "C1: the fee changed without the council");
        require(pool.paused() == handler.paused(), "C1: the pause changed without permission");
        require(
            keccak256(abi.encode(pool.caps())) == keccak256(abi.encode(handler.caps())),
            "C1: the caps changed without permission"
        );
        require(itmo.dailyCap() == handler.itmoCap(), "C1: the cap of ITMOs changed without permission");
        require(claims.operatorCap() == handler.operatorCap(), "C1: the operator's cap changed without permission");
        require(claims.disputeStake() == handler.disputeStake(), "C1: the stake changed without the council");
        require(
            vouchers.householdAuthorizationRequired() == handler.authorizationRequired(),
            "C1: the demand for consent changed without permission"
        );
        require(carbon.balanceOf(address(claims)) == handler.stakes(), "D1: claims hold other than the open stakes");
        for (uint32 supplier = 1; supplier < 4; ++supplier) {
            require(
                claims.supplierDebt(supplier) == handler.debtOf(supplier),
                "D2: a debt is not what was found less what was set off"
            );
        }
    }

    /// @dev R: what the implementer of the revoked certificates owes.
    function requireDebts() internal view {
        uint256 outstanding = 0;
        for (uint256 i = 0; i < handler.certificateCount(); ++i) {
            ICertificates.Certificate memory record = certificates.certificateOf(handler.certificateItem(i).index);
            if (record.status == ICertificates.Status.Revoked) outstanding += record.issued;
        }
        uint256 repaid = handler.repaid();
        uint256 debt = outstanding > repaid ? outstanding - repaid : 0;
        require(
            certificates.debtOf(1) == debt,
            "R1: a debt is not what revoked certificates issued less what was repaid"
        );
        require(certificates.debtOf(2) == 0 && certificates.debtOf(3) == 0, "R1: a debt without a revoked certificate");
        require(certificates.replacementOf(2) == 0, "R2: a replacement without a revoked certificate");
        require(carbon.balanceOf(address(certificates)) == 0, "R4: a payment was neither burned nor passed on");
    }

    /// @dev L: the lots of certificates.
    function requireLots() internal view {
        uint256 issued = 0;
        uint256 released = 0;
        uint256[2] memory available;
        for (uint256 i = 0; i < handler.certificateCount(); ++i) {
            uint32 index = handler.certificateItem(i).index;
            ICertificates.Certificate memory record = certificates.certificateOf(index);
            (uint16 vintage, uint64 given, uint64 taken) = certificates.lotOf(index);
            require(taken <= given, "L1: conversions took more than was released");
            require(given <= record.verifiedReduction, "L1: more was released than is verified");
            require(taken == takenOf(index), "L2: what was taken is not what conversions have");
            issued += record.issued;
            released += given;
            if (record.status == ICertificates.Status.Valid) available[vintage - 2023] += given - taken;
        }
        require(released == issued - vouchers.escrowed(), "L1: what was released is not what left the ledger");
        for (uint16 vintage = 2023; vintage < 2025; ++vintage) {
            uint256 queued = 0;
            ICertificates.Lot[] memory lots = certificates.queueOf(vintage);
            for (uint256 i = 0; i < lots.length; ++i) queued += lots[i].amount;
            require(queued == available[vintage - 2023], "L3: the queue is not what its vintage has left");
        }
    }

    /// @dev What conversions have of a certificate, each of the same vintage and to its whole amount.
    function takenOf(uint32 certificate) private view returns (uint256 sum) {
        (uint16 vintage, , ) = certificates.lotOf(certificate);
        for (uint32 i = 1; i <= itmo.conversionCount(); ++i) {
            IItmo.Conversion memory record = itmo.conversionOf(i);
            ICertificates.Lot[] memory lots = certificates.lotsOf(address(itmo), i);
            uint256 whole = 0;
            for (uint256 j = 0; j < lots.length; ++j) {
                whole += lots[j].amount;
                if (lots[j].certificate != certificate) continue;
                sum += lots[j].amount;
                require(record.vintage == vintage, "L2: a conversion took CARBON of another vintage");
            }
            bool isOver = record.status == IItmo.ConversionStatus.Reverted;
            require(whole == (isOver ? 0 : record.quantity * 1e9), "L2: the lots are not the conversion's amount");
        }
    }

    function addUp() private view returns (Sums memory sums) {
        for (uint256 i = 0; i < handler.certificateCount(); ++i) {
            ICertificates.Certificate memory record = certificates.certificateOf(handler.certificateItem(i).index);
            require(record.issued <= record.verifiedReduction, "V2: more issued than verified");
            require(record.verifiedReduction == handler.certificateItem(i).verified, "V2: the reduction changed");
            sums.issued += record.issued;
        }
        for (uint256 i = 0; i < handler.voucherCount(); ++i) sums.remaining += remainingOf(handler.voucherItem(i));
        for (uint256 i = 0; i < handler.redemptionCount(); ++i) {
            (uint256 open, uint256 settled) = sharesOf(handler.redemptionItem(i).id);
            sums.open += open;
            sums.settled += settled;
        }
    }

    /// @dev What is in escrow for a voucher: nothing once it is cancelled, its leaf's value before it is open.
    function remainingOf(HandlerState.VoucherItem memory item) private view returns (uint256) {
        IVouchers.Voucher memory voucher = vouchers.voucherOf(item.id);
        if (voucher.status == IVouchers.Status.None) return item.value;
        bool current = voucher.status == IVouchers.Status.Active || voucher.status == IVouchers.Status.Suspended;
        if (!current && voucher.status != IVouchers.Status.Cancelled) {
            require(voucher.remaining == 0, "V5: a voucher that is over has a balance");
        }
        return current ? voucher.remaining : 0;
    }

    function sharesOf(uint96 redemption) private view returns (uint256 open, uint256 settled) {
        IVouchers.Redemption memory record = vouchers.redemptionOf(redemption);
        uint8 status = uint8(record.status);
        if (status == 1 || status == 4 || status == 6) open = record.amount;
        if (status == 5 || status == 7 || status == 8) settled = record.amount;
    }

    /// @dev A voucher's balance and what it has spent never exceed its value, nor its days those that have passed.
    function requireWithinValue() private view {
        uint256[] memory spent = new uint256[](handler.voucherCount());
        for (uint256 i = 0; i < handler.redemptionCount(); ++i) {
            HandlerState.RedemptionItem memory item = handler.redemptionItem(i);
            (uint256 open, uint256 settled) = sharesOf(item.id);
            spent[item.voucher] += open + settled;
        }
        for (uint256 i = 0; i < spent.length; ++i) {
            HandlerState.VoucherItem memory item = handler.voucherItem(i);
            IVouchers.Voucher memory voucher = vouchers.voucherOf(item.id);
            require(voucher.remaining + spent[i] <= item.value, "V5: a voucher gave more than its value");
            uint256 passed = block.timestamp / 1 days - handler.issuedDay(item.id);
            require(
                voucher.expiryDay <= handler.firstExpiry(item.id) + passed,
                "V15: more days were given than passed"
            );
        }
    }

    function heldByAll() private view returns (uint256 sum) {
        address[] memory holders = handler.holders();
        for (uint256 i = 0; i < holders.length; ++i) sum += carbon.balanceOf(holders[i]);
    }
}
