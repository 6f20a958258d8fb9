// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Participants} from "../../../contracts/participants/Participants.sol";
import {RedemptionRules} from "../../../contracts/shared/RedemptionRules.sol";
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

    /// @notice Whatever is granted, revoked and delayed, redemptions take for operators whom the manager does.
    function testFuzzOperatorsAreTheManagers(uint256[] calldata steps) external {
        _participants.registerSupplier("did:s", address(this), "S", "R");
        for (uint256 i = 0; i < steps.length && i < 40; ++i) {
            address account = address(uint160(1 + (steps[i] % 3)));
            uint32 time = uint32((steps[i] >> 16) % 5 days);
            uint256 kind = (steps[i] >> 8) % 6;
            if (kind < 2) _participants.grantRole(Roles.OPERATOR, account, 0);
            else if (kind == 2) _participants.grantRole(Roles.OPERATOR, account, time);
            else if (kind == 3) _participants.revokeRole(Roles.OPERATOR, account);
            else if (kind == 4) vm.warp(block.timestamp + time);
            else _participants.setGrantDelay(Roles.OPERATOR, time);
            for (uint160 j = 1; j <= 3; ++j) _requireAgreement(address(j), i);
        }
    }

    function _requireAgreement(address account, uint256 step) private view {
        (bool isMember, uint32 delay) = _participants.hasRole(Roles.OPERATOR, account);
        uint256 verdict = _participants.redemptionParties(1, 0, 0, account);
        bool refused = verdict & RedemptionRules.CALLER_AUTHORISED != 0;
        require(refused != (isMember && delay == 0), Failed("operator", step, uint160(account)));
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
