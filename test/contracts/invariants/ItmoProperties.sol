// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {HandlerState} from "./HandlerState.sol";
import {SchemeProperties} from "./SchemeProperties.sol";

/// @title ItmoProperties
/// @notice The properties I1 to I6 of INVARIANTS.md, which can be read off the contracts at any time.
abstract contract ItmoProperties is SchemeProperties {
    /// @dev Tonnes; of each authorization, from 1.
    struct Totals {
        uint256 requested;
        uint256 finalised;
        uint256[5] requestedOf;
        uint256[5] finalisedOf;
        uint256[5] markedOf;
    }

    uint256 private constant TONNE = 1e9;

    /// @return burned Micro-CARBON that became ITMOs.
    function requireItmos() internal view returns (uint256 burned) {
        Totals memory sums = addUpConversions();
        require(itmo.escrowed() == sums.requested * TONNE, "I5: escrowed() is not what is requested");
        uint256 held = carbon.balanceOf(address(itmo)) - handler.donatedToItmo();
        require(held == itmo.escrowed(), "I5: the escrow is not what is requested");
        requireWithinAuthorizations(sums);
        requireDisjoint();
        requireWitnessed();
        return sums.finalised * TONNE;
    }

    function addUpConversions() private view returns (Totals memory sums) {
        for (uint32 i = 1; i <= itmo.conversionCount(); ++i) {
            IItmo.Conversion memory record = itmo.conversionOf(i);
            if (record.status == IItmo.ConversionStatus.Requested) {
                sums.requested += record.quantity;
                sums.requestedOf[record.authorization] += record.quantity;
            }
            if (record.status == IItmo.ConversionStatus.Finalised) {
                sums.finalised += record.quantity;
                sums.finalisedOf[record.authorization] += record.quantity;
                sums.markedOf[record.authorization] += requireCovered(i, record);
            }
        }
    }

    /// @dev Blocks of a conversion follow each other without a gap from its first serial to its last.
    /// @return marked Tonnes of them that were first transferred.
    function requireCovered(uint32 conversion, IItmo.Conversion memory record) private view returns (uint256 marked) {
        uint96[] memory blocks = handler.blocksOf(conversion);
        (uint256 sum, uint256 buffered) = (0, 0);
        for (uint256 i = 0; i < blocks.length; ++i) {
            IItmo.Block memory found = itmo.blockOf(blocks[i]);
            require(found.firstId <= found.lastId, "I2: an empty block");
            sum += found.lastId - found.firstId + 1;
            if (found.status == IItmo.BlockStatus.Buffered) buffered += found.lastId - found.firstId + 1;
            if (found.firstTransfer != IItmo.ActionSubtype.None) marked += found.lastId - found.firstId + 1;
            bool isSame =
                found.registryId == record.registryId &&
                    found.vintage == record.vintage &&
                    found.authorization == record.authorization;
            require(isSame, "I2: a block's identity changed");
        }
        require(sum == record.quantity, "I2: the parts are not what was minted");
        uint64 held = handler.buffer().holdOf(conversion).held;
        require(buffered == held, "I11: the buffer holds other units than it counts");
        (uint64 cancelled, uint64 released) = handler.endedOf(conversion);
        require(
            held + cancelled + released == handler.heldAtFirst(conversion),
            "I11: what the buffer held is not held, cancelled or given back"
        );
    }

    function requireWithinAuthorizations(Totals memory sums) private view {
        for (uint32 i = 1; i <= 4; ++i) {
            IItmo.Authorization memory terms = itmo.authorizationOf(i);
            require(terms.committed <= terms.quantity, "I6: more committed than authorized");
            require(
                terms.committed == sums.requestedOf[i] + sums.finalisedOf[i],
                "I6: committed is not what was requested"
            );
            require(terms.issued == sums.finalisedOf[i], "I6: issued is not what was finalised");
            require(terms.omge <= (terms.issued * terms.omgeShare) / 10_000, "I6: more OMGE than is due");
            require(terms.sop <= (terms.issued * terms.sopShare) / 10_000, "I6: more proceeds than are due");
            uint64 counted = handler.authorizations().reductionOf(i).firstTransferred;
            require(counted == sums.markedOf[i], "I10: first transfers are miscounted");
            (bool isReduced, uint64 most) = handler.leftOf(i);
            require(!isReduced || counted <= most, "I10: first transferred what was taken away");
        }
        require(itmo.authorizationOf(1).quantity == handler.quantityOf1(), "I7: a quantity changed without permission");
    }

    function requireDisjoint() private view {
        uint32 total = itmo.conversionCount();
        for (uint32 i = 1; i <= total; ++i) {
            for (uint32 j = i + 1; j <= total; ++j) {
                IItmo.Conversion memory one = itmo.conversionOf(i);
                IItmo.Conversion memory other = itmo.conversionOf(j);
                if (one.registryId == 0 || one.registryId != other.registryId) continue;
                (uint64 first, uint64 second) = (handler.firstOf(i), handler.firstOf(j));
                bool isApart = first + one.quantity <= second || second + other.quantity <= first;
                require(isApart, "I1: ranges of a registry overlap");
            }
        }
    }

    /// @dev A consumed serial does not change; a first-transfer mark stays.
    function requireWitnessed() private view {
        HandlerState.Witness[] memory seen = handler.witnesses();
        for (uint256 i = 0; i < seen.length; ++i) {
            IItmo.Block memory found = covering(seen[i].conversion, seen[i].serial);
            bool isConsumed = seen[i].status != IItmo.BlockStatus.None;
            require(!isConsumed || found.status == seen[i].status, "I3: a consumed serial is held again");
            require(!isConsumed || found.party == seen[i].party, "I3: a consumed serial changed hands");
            bool isMarked = seen[i].mark != IItmo.ActionSubtype.None;
            require(!isMarked || found.firstTransfer == seen[i].mark, "I3: a first-transfer mark was lost");
        }
    }

    function covering(uint32 conversion, uint64 serial) private view returns (IItmo.Block memory found) {
        uint96[] memory blocks = handler.blocksOf(conversion);
        for (uint256 i = 0; i < blocks.length; ++i) {
            found = itmo.blockOf(blocks[i]);
            if (found.lastId >= serial) return found;
        }
    }
}
