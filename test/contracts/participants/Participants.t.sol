// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Participants} from "../../../contracts/participants/Participants.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @notice Properties of the import of households and of trust. The test is registrar and operator.
contract ParticipantsTest is Cheats {
    Participants private _participants;

    error Failed(string what, uint256 actual, uint256 expected);

    function setUp() external {
        vm.warp(1_700_000_000);
        _participants = new Participants(address(this));
        _participants.grantRole(Roles.REGISTRAR, address(this), 0);
        _participants.grantRole(Roles.OPERATOR, address(this), 0);
    }

    /// @notice However imports repeat households, each has one index, and indexes have no gap.
    function testFuzzHouseholdsHaveOneIndexEach(uint8[] calldata first, uint8[] calldata second) external {
        _import(first);
        _import(second);
        uint256 count = _participants.householdCount();
        bool[] memory seen = new bool[](count + 1);
        uint256 distinct = 0;
        for (uint256 i = 0; i < 256; ++i) {
            uint32 index = _participants.householdIndex(keccak256(abi.encode(i)));
            if (index == 0) continue;
            require(index <= count && !seen[index], Failed("index", index, count));
            seen[index] = true;
            ++distinct;
        }
        require(distinct == count, Failed("count", count, distinct));
    }

    /// @notice Trust holds within its period and nowhere else, and ending it never lengthens it.
    function testFuzzTrustHoldsWithinItsPeriod(uint64 from, uint64 until, uint64 time, bool ended) external {
        if (until != 0 && from > until) (from, until) = (until, from);
        string[] memory types = new string[](1);
        types[0] = "T";
        _participants.trustIssuer("did:issuer", types, from, until);
        if (ended) _participants.endIssuerTrust("did:issuer");
        uint256 last = until == 0 ? type(uint64).max : until;
        if (ended && block.timestamp - 1 < last) last = block.timestamp - 1;
        bool trusted = _participants.isTrusted(keccak256("did:issuer"), keccak256("T"), time);
        require(trusted == (from <= time && time <= last), Failed("trusted", time, last));
        require(!_participants.isTrusted(keccak256("did:issuer"), keccak256("U"), time), Failed("type", time, 0));
    }

    function _import(uint8[] calldata list) private {
        bytes32[] memory hashes = new bytes32[](list.length);
        for (uint256 i = 0; i < list.length; ++i) hashes[i] = keccak256(abi.encode(uint256(list[i])));
        uint32 before = _participants.householdCount();
        (uint32 first, uint32 registered) = _participants.registerHouseholds(hashes, new address[](0));
        require(first == before + 1, Failed("first", first, before + 1));
        require(_participants.householdCount() == before + registered, Failed("registered", registered, before));
    }
}
