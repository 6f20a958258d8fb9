// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {HandlerState} from "./HandlerState.sol";

/// @title ConversionHandler
/// @notice Fuzzed conversions of CARBON and lives of blocks, under four authorizations and in two registries.
abstract contract ConversionHandler is HandlerState {
    uint64 public quantityOf1 = 200;
    /// @notice The first serial of what a conversion minted.
    mapping(uint32 conversion => uint64 serial) public firstOf;
    Witness[] internal _witnesses;
    /// @notice Tonnes that the buffer must hold of a conversion when it is finalised.
    mapping(uint32 conversion => uint64 tonnes) public heldAtFirst;

    /// @dev What the last reduction of an authorization leaves, tonnes, and what the one before it left.
    /// @param finalFrom Seconds; 0 after a veto.
    /// @param frozenAt First transferred when it was announced.
    struct Left {
        bool isReduced;
        bool wasReduced;
        uint64 quantity;
        uint64 quantityBefore;
        uint64 frozenAt;
        uint256 finalFrom;
    }

    mapping(uint32 authorization => Left left) private _left;

    // Conversion

    function request(uint256 tonnes, uint8 implementer, uint8 authorization, bool odd) public tracked {
        uint32 party = 1 + (implementer % 3);
        address account = implementers[party];
        uint64 amount = amountOf(account, tonnes);
        if (odd) --amount;
        vm.prank(account);
        carbon.approve(address(itmo), amount);
        vm.prank(account);
        itmo.requestConversion(IItmo.ConversionOrder(party, amount, 1 + (authorization % 4), vintageOf(authorization)));
        if (odd) violate("I5: a request of a part of a tonne");
    }

    function finalise(uint256 seed, uint16 serial, uint8 registry, uint8 hint) public tracked {
        uint32 conversion = pickConversion(seed);
        uint64 quantity = itmo.conversionOf(conversion).quantity;
        uint64 first = 1 + (serial % 600);
        bytes5 registryId = registry % 4 == 0 ? bytes5("ZMB02") : bytes5("ZMB01");
        uint32 party = itmo.conversionOf(conversion).implementer;
        bool owes = certificates.debtOf(party) + certificates.replacementOf(party) != 0;
        firstOf[conversion] = first;
        vm.prank(registrar);
        uint96 blockId = itmo.finalise(conversion, registryId, first, first + quantity - 1, hint % 8);
        if (owes) violate("R3: a debtor's conversion became final");
        checkHold(conversion, quantity);
        count(quantity);
        witness(blockId);
    }

    /// @dev I11: the buffer holds the share of the terms, rounded up, at most what the shares leave.
    function checkHold(uint32 conversion, uint64 quantity) private {
        uint64 left = 0;
        uint96[] memory blocks = blocksOf(conversion);
        for (uint256 i = 0; i < blocks.length; ++i) {
            IItmo.Block memory found = itmo.blockOf(blocks[i]);
            bool isLeft = found.status == IItmo.BlockStatus.Held || found.status == IItmo.BlockStatus.Buffered;
            if (isLeft) left += found.lastId - found.firstId + 1;
        }
        uint64 share = (quantity * bufferShareOf(conversion) + 9_999) / 10_000;
        heldAtFirst[conversion] = share < left ? share : left;
        if (buffer.holdOf(conversion).held != heldAtFirst[conversion]) violate("I11: the buffer holds another share");
    }

    function revertConversion(uint256 seed) external tracked {
        vm.assume(seed % 3 == 0);
        uint32 conversion = pickConversion(seed);
        vm.prank(registrar);
        itmo.revertConversion(conversion, "");
    }

    /// @dev Nobody's CARBON is stuck: once the time is over, it can always be reclaimed.
    function reclaim(uint256 seed) external tracked {
        uint32 conversion = seed % 4 == 0 ? pickConversion(seed) : oldestRequest();
        IItmo.Conversion memory record = itmo.conversionOf(conversion);
        bool isDue = block.timestamp >= dueOf(record);
        bool isOpen = record.status == IItmo.ConversionStatus.Requested;
        uint256 held = carbon.balanceOf(record.account);
        vm.prank(record.account);
        (bool success, ) = address(itmo).call(abi.encodeCall(IItmo.reclaim, (conversion)));
        if (success && (!isDue || !isOpen)) violate("I9: CARBON came back that was not due");
        if (!success && isDue && isOpen) return violate("I9: CARBON is stuck");
        require(success, "not due");
        if (carbon.balanceOf(record.account) - held != record.quantity * TONNE) violate("I9: not all came back");
    }

    /// @dev Warp to about the second from which the oldest request may be reclaimed.
    function passUntilReclaim(uint256 seed) external tracked {
        vm.assume(seed % 6 == 0);
        uint256 due = dueOf(itmo.conversionOf(oldestRequest()));
        vm.assume(due > clock);
        clock = due - 1 + ((seed / 6) % 3);
    }

    // Life

    function transferPart(uint256 seed, uint64 from, uint64 length, uint8 variant) public tracked {
        IItmo.Part memory part = pickPart(seed, from, length, false);
        vm.prank(registrar);
        observe(part, itmo.transfer(part, variant % 4 == 0 ? bytes3("ZMB") : bytes3("CHE"), ""));
    }

    function useForNdc(uint256 seed, uint64 from, uint64 length, uint8 year) public tracked {
        IItmo.Part memory part = pickPart(seed, from, length, seed % 4 != 0);
        vm.prank(registrar);
        observe(part, itmo.useForNdc(part, 2_020 + (year % 12), ""));
    }

    function useForOimp(uint256 seed, uint64 from, uint64 length, uint8 purpose) external tracked {
        IItmo.Part memory part = pickPart(seed, from, length, false);
        vm.prank(registrar);
        observe(part, itmo.useForOimp(part, IItmo.Purpose(purpose % 8), "", ""));
    }

    function cancelPart(uint256 seed, uint64 from, uint64 length, uint8 kind) external tracked {
        vm.assume(seed % 2 == 0);
        IItmo.Part memory part = pickPart(seed, from, length, false);
        vm.prank(registrar);
        observe(part, itmo.cancel(part, IItmo.Cancellation(kind % 3), "", ""));
    }

    // Control

    function setQuantity(uint8 tonnes) external tracked {
        vm.prank(registrar);
        itmo.setAuthorizedQuantity(1, tonnes, "");
        quantityOf1 = tonnes;
    }

    function lowerItmoCap(uint8 percent) external tracked {
        uint64 cap = percent % 5 == 0 ? 0 : (itmo.dailyCap() * (80 + (percent % 25))) / 100;
        vm.prank(guardian);
        itmo.lowerDailyCap(cap);
        if (cap >= itmoCap) violate("I8: the guardian raised the cap");
        expectItmoCap(cap);
    }

    // Authorizations

    /// @dev Authorizations 3 and 4 alone, so that the others' units live on.
    function reduceAuthorization(uint256 seed, uint8 purpose, uint64 tonnes) external tracked {
        vm.assume(seed % 6 == 0);
        uint32 authorization = 3 + uint32((seed / 6) % 2);
        uint64 marked = authorizations.reductionOf(authorization).firstTransferred;
        uint64 quantity = uint64(bound(tonnes, marked, 250));
        vm.prank(registrar);
        authorizations.reduce(authorization, IItmo.Purpose(2 + (purpose % 3)), quantity, "");
        announce(authorization, quantity);
    }

    function revokeAuthorization(uint256 seed) external tracked {
        vm.assume(seed % 12 == 0);
        uint32 authorization = 3 + uint32((seed / 12) % 2);
        uint64 marked = authorizations.reductionOf(authorization).firstTransferred;
        vm.prank(registrar);
        authorizations.revoke(authorization, "");
        announce(authorization, marked);
    }

    function vetoReduction(uint256 seed, uint8 who) external tracked {
        uint32 authorization = pickReduced(seed);
        bool isGuardian = who % 4 != 0;
        vm.prank(isGuardian ? guardian : registrar);
        authorizations.veto(authorization, "");
        if (!isGuardian) violate("I10: a reduction was vetoed by another than the guardian");
        Left storage left = _left[authorization];
        if (block.timestamp >= left.finalFrom) violate("I10: a final reduction was vetoed");
        (left.isReduced, left.quantity, left.finalFrom) = (left.wasReduced, left.quantityBefore, 0);
    }

    /// @dev Mostly one that can be vetoed now, sometimes any.
    function pickReduced(uint256 seed) private view returns (uint32 authorization) {
        for (uint32 i = 0; i < 2; ++i) {
            authorization = 3 + uint32((seed + i) % 2);
            if (seed % 8 == 0 || clock < _left[authorization].finalFrom) return authorization;
        }
        vm.assume(false);
    }

    function announce(uint32 authorization, uint64 quantity) private {
        Left storage left = _left[authorization];
        if (block.timestamp < left.finalFrom) violate("I10: a reduction before the last was final");
        (left.wasReduced, left.quantityBefore) = (left.isReduced, left.quantity);
        (left.isReduced, left.quantity) = (true, quantity);
        left.finalFrom = (block.timestamp / 1 days + 2) * 1 days;
        left.frozenAt = authorizations.reductionOf(authorization).firstTransferred;
    }

    /// @notice What the handler's reductions leave of an authorization, tonnes.
    /// @return isReduced Whether there is one.
    /// @return most Tonnes that can be first transferred now: none more while it can be vetoed.
    function leftOf(uint32 authorization) external view returns (bool isReduced, uint64 most) {
        Left storage left = _left[authorization];
        return (left.isReduced, clock < left.finalFrom ? left.frozenAt : left.quantity);
    }

    // What the actions share

    /// @dev When a request may be reclaimed: after 90 days, not counting days with a cap of 0.
    function dueOf(IItmo.Conversion memory record) internal view returns (uint256 due) {
        due = uint256(record.requestedAt) + 90 days;
        for (uint256 i = 0; i < _itmoStoppages.length; ++i) {
            (uint256 from, uint256 end) = (_itmoStoppages[i].from, _itmoStoppages[i].end);
            if (end == 0) end = block.timestamp;
            if (end > record.requestedAt) due += end - (from > record.requestedAt ? from : record.requestedAt);
        }
    }

    /// @dev Mostly the first from the seed's on that is requested, sometimes any.
    function pickConversion(uint256 seed) private view returns (uint32 conversion) {
        uint32 total = itmo.conversionCount();
        vm.assume(total > 0);
        for (uint32 i = 0; i < total; ++i) {
            conversion = 1 + uint32((seed + i) % total);
            if (seed % 8 == 0) return conversion;
            if (itmo.conversionOf(conversion).status == IItmo.ConversionStatus.Requested) return conversion;
        }
    }

    function oldestRequest() private view returns (uint32 conversion) {
        uint32 total = itmo.conversionCount();
        for (conversion = 1; conversion <= total; ++conversion)
            if (itmo.conversionOf(conversion).status == IItmo.ConversionStatus.Requested) return conversion;
        vm.assume(false);
    }

    /// @dev A part of some minted block: mostly a held one, and on request one that was transferred for an NDC.
    function pickPart(
        uint256 seed,
        uint64 from,
        uint64 length,
        bool isAbroad
    ) private view returns (IItmo.Part memory part) {
        uint32 total = itmo.conversionCount();
        for (uint32 i = 0; i < total; ++i) {
            uint32 conversion = 1 + uint32((seed + i) % total);
            if (itmo.conversionOf(conversion).status != IItmo.ConversionStatus.Finalised) continue;
            uint96[] memory blocks = blocksOf(conversion);
            for (uint256 j = 0; j < blocks.length; ++j) {
                part.blockId = blocks[((seed >> 64) + j) % blocks.length];
                IItmo.Block memory found = itmo.blockOf(part.blockId);
                bool isWanted = found.status == IItmo.BlockStatus.Held;
                if (isAbroad) isWanted = isWanted && found.party == "CHE" && found.authorization < 3;
                if (!isWanted && seed % 8 != 0) continue;
                part.firstId = uint64(bound(from, found.firstId, found.lastId));
                part.lastId = uint64(bound(length, part.firstId, found.lastId));
                // Sometimes an invalid part.
                if (seed % 32 == 0) ++part.lastId;
                return part;
            }
        }
        vm.assume(false);
    }

    /// @notice The blocks that cover a conversion's serials, one after the other.
    function blocksOf(uint32 conversion) public view returns (uint96[] memory blocks) {
        IItmo.Conversion memory record = itmo.conversionOf(conversion);
        uint64 first = firstOf[conversion];
        uint256 found;
        blocks = new uint96[](record.quantity);
        for (uint64 serial = first; serial < first + record.quantity; ++found) {
            blocks[found] = (uint96(conversion) << 64) | serial;
            serial = itmo.blockOf(blocks[found]).lastId + 1;
        }
        assembly ("memory-safe") {
            mstore(blocks, found)
        }
    }

    /// @dev After an action on a part: check with its serials' witnesses that it was held before.
    function observe(IItmo.Part memory part, uint96 blockId) private {
        count(part.lastId - part.firstId + 1);
        witness(blockId);
    }

    function count(uint64 tonnes) private {
        if (countOf(registrar, tonnes) > itmo.dailyCap()) violate("I8: more was moved in 24 hours than the cap");
    }

    function witness(uint96 blockId) private {
        uint32 conversion = uint32(blockId >> 64);
        if (firstOf[conversion] == 0) firstOf[conversion] = uint64(blockId);
        IItmo.Block memory record = itmo.blockOf(blockId);
        bool isConsumed = record.status != IItmo.BlockStatus.Held && record.status != IItmo.BlockStatus.Buffered;
        IItmo.BlockStatus status = isConsumed ? record.status : IItmo.BlockStatus.None;
        bytes3 party = isConsumed ? record.party : bytes3(0);
        requireUnconsumed(conversion, record.firstId, record.lastId);
        _witnesses.push(Witness(conversion, record.firstId, status, record.firstTransfer, party));
        _witnesses.push(Witness(conversion, record.lastId, status, record.firstTransfer, party));
    }

    /// @dev I3: nothing acts on a serial that was used, cancelled or given away before.
    function requireUnconsumed(uint32 conversion, uint64 firstId, uint64 lastId) private {
        for (uint256 i = 0; i < _witnesses.length; ++i) {
            Witness memory seen = _witnesses[i];
            bool isInside = seen.conversion == conversion && firstId <= seen.serial && seen.serial <= lastId;
            if (isInside && seen.status != IItmo.BlockStatus.None) violate("I3: an action on a consumed serial");
        }
    }

    function witnesses() external view returns (Witness[] memory) {
        return _witnesses;
    }
}
