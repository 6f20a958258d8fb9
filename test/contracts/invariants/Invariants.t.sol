// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {ItmoProperties} from "./ItmoProperties.sol";
import {World} from "./World.sol";

/// @title Handler
/// @notice Deploys the scheme and offers every action on it to the fuzzer.
/// @dev In this file, because the runner fuzzes only contracts of the given files.
contract Handler is World {
    constructor() {
        vm.warp(clock);
        deployScheme();
        register(0, 300 * 1e9, false, false);
        register(5, 200 * 1e9, true, false);
        register(3, 100 * 1e9, true, true);
        issueChunk(1, 1, 255);
        issueChunk(2, 1, 255);
        fillPool();
    }

    /// @dev A certificate whose voucher nobody spends is swept to the pool's reserve, and three
    /// implementers buy from it.
    function fillPool() private {
        registerWhole(900 * TONNE);
        issueOne(3, 0, 1, 0, false);
        clock += 31 days;
        sweep(11);
        takeIn();
        for (uint8 party = 0; party < 3; ++party) {
            buy(19 * 20 * UNIT, party);
            clock += 1 days;
        }
    }
}

/// @title Invariants
/// @notice The numbered properties of INVARIANTS.md, over all contracts together.
contract Invariants is ItmoProperties {
    /// @dev Sums are checked after a number of actions and at the end, because a broken sum stays broken. What a single
    /// action may break, the handler checks in the action.
    uint256 private constant EVERY = 8;

    function setUp() public {
        watch(new Handler());
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_scheme() public {
        requireNoViolation();
        if (handler.actions() % EVERY == 0) requireAll();
    }

    function afterInvariant() public {
        requireAll();
    }

    /// @dev The actions have effects: a fixed sequence leads through the life of a voucher.
    function test_handlerReachesTheEnd() public {
        handler.issueOne(0, 0, 1, 240, false);
        require(handler.voucherCount() == 12, "vouchers were not issued");
        handler.redeem(0, 40 * 1e9 + 1, 1, 1, 0);
        handler.redeem(1, 40 * 1e9 + 1, 1, 1, 0);
        handler.redeemByHousehold(2, 40 * 1e9 + 1, 1, 1, 5, false);
        require(handler.redemptionCount() == 3, "redemptions were not made");
        handler.claim(9, 1);
        handler.claimMany(1, 2);
        handler.reverse(8, true);
        handler.dispute(0, false);
        handler.resolve(0, true, true);
        require(handler.debtMade() > 0, "no debt was made");
        handler.redeem(1, 20 * 1e9 + 1, 1, 1, 0);
        handler.claim(3, 3);
        require(handler.debtSetOff() > 0, "no debt was set off");
        handler.takeIn();
        uint256 reserve = pool.carbonReserve();
        handler.buy(10 * 20 * 1e6, 0);
        require(pool.carbonReserve() < reserve, "nothing was bought");
        handler.propose(0, 5_001, 3);
        handler.passDays(1 days - 1 hours);
        handler.execute(0, 6);
        require(handler.price() == 20_001, "the council did not set the price");
        convert();
        requireAll();
    }

    /// @dev A revoked certificate's vouchers are burned, its claim is paid, and its implementer's conversion waits.
    function test_handlerPaysDebts() public {
        handler.redeem(1, 10 * 1e9 + 1, 1, 1, 0);
        handler.request(3, 0, 0, false);
        handler.setCertificateStatus(1, 0);
        uint256 debt = handler.certificates().debtOf(1);
        try handler.burnRevoked(1, 2) {
            revert("vouchers were burned before the revocation was final");
        } catch {}
        handler.vetoRevocation(1, 1);
        require(handler.certificates().debtOf(1) == 0, "a debt outlived a veto");
        handler.setCertificateStatus(1, 0);
        handler.passDays(2 days - 1 hours);
        handler.burnRevoked(1, 2);
        require(handler.certificates().debtOf(1) < debt, "nothing was burned");
        handler.claim(9, 4);
        require(handler.certificates().replacementOf(1) > 0, "nothing was owed to the pool");
        try handler.finalise(1, 0, 1, 0) {
            revert("a debtor's conversion became final");
        } catch {}
        handler.repayDebt(type(uint256).max, 1);
        handler.replaceCarbon(type(uint256).max, 0);
        require(handler.repaid() > 0 && handler.replaced() > 0, "nothing was paid");
        requireAll();
    }

    /// @dev A conversion waits while a reduction of its authorization can be vetoed, and ends with a final revocation.
    function test_handlerTakesAuthorizationsAway() public {
        handler.redeem(1, 20 * 1e9 + 1, 1, 1, 0);
        handler.claim(9, 4);
        handler.takeIn();
        handler.buy(10 * 20 * 1e6, 0);
        handler.request(3, 0, 2, false);
        handler.reduceAuthorization(0, 1, 100);
        try handler.finalise(1, 0, 1, 0) {
            revert("a conversion became final under an announced reduction");
        } catch {}
        handler.vetoReduction(2, 1);
        handler.revokeAuthorization(0);
        handler.passDays(2 days - 1 hours);
        try handler.finalise(1, 0, 1, 0) {
            revert("a conversion became final under a revoked authorization");
        } catch {}
        handler.revertConversion(3);
        requireAll();
    }

    /// @dev A part of a conversion is held, and given back after its time.
    function test_handlerHoldsAndReleases() public {
        handler.propose(10, 1_999, 3);
        handler.passDays(1 days - 1 hours);
        handler.execute(0, 6);
        handler.request(3, 0, 0, false);
        handler.finalise(1, 0, 1, 0);
        require(handler.heldAtFirst(1) > 0, "nothing was held");
        try handler.releaseBuffered(1) {
            revert("units were given back too early");
        } catch {}
        handler.passUntilReleased(8);
        handler.releaseBuffered(1);
        (, uint64 released) = handler.endedOf(1);
        require(released == handler.heldAtFirst(1), "nothing was given back");
        requireAll();
    }

    /// @dev From bought CARBON to used ITMOs, and the reclaim of a request without an answer.
    function convert() private {
        handler.request(3, 0, 0, false);
        handler.finalise(1, 0, 1, 0);
        handler.transferPart(1, 1, 1, 1);
        handler.useForNdc((uint256(1) << 64) | 1, 0, 0, 5);
        require(handler.blocksOf(1).length == 4, "nothing was split");
        require(itmo.blockOf((uint96(1) << 64) | 2).status == IItmo.BlockStatus.UsedForNdc, "nothing was used");
        handler.request(0, 0, 2, false);
        for (uint256 i = 0; i < 5; ++i) handler.passWeeks(3 * 600_000);
        handler.reclaim(1);
        require(itmo.conversionOf(2).status == IItmo.ConversionStatus.Reverted, "nothing was reclaimed");
    }

    function requireAll() private {
        vm.warp(handler.clock());
        uint256 burned = requireItmos();
        requireVouchers(burned);
        requireDebts();
        requireLots();
        requirePool();
        requireControl();
        requireNoViolation();
    }

    function requireNoViolation() private view {
        string memory violation = handler.violation();
        require(bytes(violation).length == 0, violation);
    }
}
