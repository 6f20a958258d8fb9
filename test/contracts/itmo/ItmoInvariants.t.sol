// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Carbon} from "../../../contracts/carbon/Carbon.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {Itmo} from "../../../contracts/itmo/Itmo.sol";
import {Cheats} from "../invariants/Vm.sol";
import {ItmoHandler} from "./ItmoHandler.sol";

/// @dev In this file, because the runner fuzzes only contracts of the files that it was asked to run.
contract Handler is ItmoHandler {
    constructor() {
        vm.warp(clock);
        deploy();
        request(0, 39, 0, false);
        request(1, 39, 1, false);
        finalise(1, 0, 1, 0);
    }
}

/// @title ItmoInvariants
/// @notice The properties I1 to I9 of INVARIANTS.md.
contract ItmoInvariants is Cheats {
    struct Sums {
        uint256 requested;
        uint256 finalised;
    }

    uint64 private constant TONNE = 1e9;

    Handler private handler;
    Itmo private itmo;
    Carbon private carbon;
    mapping(uint32 authorization => Sums) private byAuthorization;

    function setUp() public {
        handler = new Handler();
        (itmo, carbon) = (handler.itmo(), handler.carbon());
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_itmo() public {
        Sums memory sums = addUp();
        uint256 minted = 2 * 2_000 * uint256(TONNE);
        require(minted - carbon.totalSupply() == sums.finalised * TONNE, "I4: burned is not what was minted");
        require(itmo.escrowed() == sums.requested * TONNE, "I5: escrowed() is not what is requested");
        require(carbon.balanceOf(address(itmo)) == itmo.escrowed(), "I5: the escrow is not what is requested");
        requireWithinAuthorizations();
        requireDisjoint();
        requireWitnessed();
        string memory violation = handler.violation();
        require(bytes(violation).length == 0, violation);
    }

    /// @dev The actions are no empty gestures.
    function test_handlerReachesTheEnd() public {
        handler.act(1, 0, 5, 9, 1);
        handler.act((uint256(1) << 64) | 1, 4, 5, 9, 0);
        handler.finalise(1, 100, 1, 1);
        handler.act(2, 0, 5, 9, 1);
        handler.pass(0, true);
        handler.pass(0, true);
        handler.request(0, 3, 2, false);
        handler.pass(1 days, true);
        handler.pass(1 days, true);
        handler.reclaim(5);
        require(handler.blocksOf(2).length == 5, "a part was not used");
        require(itmo.conversionOf(3).status == IItmo.ConversionStatus.Reverted, "nothing was reclaimed");
        require(handler.blocksOf(1).length > 1, "nothing was split");
        invariant_itmo();
    }

    function addUp() private returns (Sums memory sums) {
        for (uint32 authorization = 1; authorization <= 4; ++authorization) delete byAuthorization[authorization];
        for (uint32 i = 1; i <= itmo.conversionCount(); ++i) {
            IItmo.Conversion memory record = itmo.conversionOf(i);
            if (record.status == IItmo.ConversionStatus.Requested) {
                sums.requested += record.quantity;
                byAuthorization[record.authorization].requested += record.quantity;
            }
            if (record.status == IItmo.ConversionStatus.Finalised) {
                sums.finalised += record.quantity;
                byAuthorization[record.authorization].finalised += record.quantity;
                requireCovered(i, record);
            }
        }
    }

    /// @dev Blocks of a conversion follow each other without a gap from its first serial to its last.
    function requireCovered(uint32 conversion, IItmo.Conversion memory record) private view {
        uint96[] memory blocks = handler.blocksOf(conversion);
        uint256 sum = 0;
        for (uint256 i = 0; i < blocks.length; ++i) {
            IItmo.Block memory found = itmo.blockOf(blocks[i]);
            require(found.firstId <= found.lastId, "I2: an empty block");
            sum += found.lastId - found.firstId + 1;
            bool isSame =
                found.registryId == record.registryId &&
                    found.vintage == record.vintage &&
                    found.authorization == record.authorization;
            require(isSame, "I2: a block's identity changed");
        }
        require(sum == record.quantity, "I2: the parts are not what was minted");
    }

    function requireWithinAuthorizations() private view {
        for (uint32 i = 1; i <= 4; ++i) {
            IItmo.Authorization memory terms = itmo.authorizationOf(i);
            Sums memory sums = byAuthorization[i];
            require(terms.committed <= terms.quantity, "I6: more committed than authorized");
            require(terms.committed == sums.requested + sums.finalised, "I6: committed is not what was requested");
            require(terms.issued == sums.finalised, "I6: issued is not what was finalised");
            require(terms.omge <= (terms.issued * terms.omgeShare) / 10_000, "I6: more OMGE than is due");
            require(terms.sop <= (terms.issued * terms.sopShare) / 10_000, "I6: more proceeds than are due");
        }
        require(itmo.authorizationOf(1).quantity == handler.quantityOf1(), "I7: a quantity changed without right");
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

    /// @dev What was consumed stays as it was; what was marked keeps its mark.
    function requireWitnessed() private view {
        ItmoHandler.Witness[] memory seen = handler.witnesses();
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
