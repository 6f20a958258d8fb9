// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../../../contracts/participants/IParticipants.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {RedemptionRules} from "../../../contracts/shared/RedemptionRules.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @notice Properties of the import of households and of trust. The test is registrar and operator.
contract ParticipantsTest is Cheats {
    Participants private _participants;
    mapping(IParticipants.Party kind => uint256 time) private _proposedAt;

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

    /// @notice Trust is valid only for its period and while that runs; ending it is permanent.
    function testFuzzTrustHoldsWithinItsPeriod(uint64 from, uint64 until, uint64 time, bool ended) external {
        if (until != 0 && from > until) (from, until) = (until, from);
        string[] memory types = new string[](1);
        types[0] = "T";
        _participants.trustIssuer("did:issuer", types, from, until);
        if (ended) _participants.endIssuerTrust("did:issuer");
        uint256 last = until == 0 ? type(uint64).max : until;
        bool runs = !ended && from <= block.timestamp && block.timestamp <= last;
        bool trusted = _participants.isTrusted(keccak256("did:issuer"), keccak256("T"), time);
        require(trusted == (runs && from <= time && time <= last), Failed("trusted", time, last));
        require(!_participants.isTrusted(keccak256("did:issuer"), keccak256("U"), time), Failed("type", time, 0));
        if (!ended) return;
        vm.warp(block.timestamp + 100);
        _participants.trustIssuer("did:issuer", types, from, 0);
        trusted = _participants.isTrusted(keccak256("did:issuer"), keccak256("T"), time);
        bool isNew = from <= block.timestamp && time >= block.timestamp;
        require(trusted == isNew, Failed("again", time, block.timestamp));
    }

    /// @notice For any calls in any order: an account changes only a day after it was proposed, and a household's
    /// only if its own account, or an evaluator other than the proposer, agrees.
    function testFuzzAccountsChangeSlowly(uint256[] calldata steps) external {
        address[6] memory people = [address(11), address(12), address(13), address(14), address(15), address(16)];
        _participants.grantRole(Roles.REGISTRAR, people[0], 0);
        _participants.grantRole(Roles.OPERATOR, people[1], 0);
        _participants.grantRole(Roles.EVALUATOR, people[2], 0);
        _participants.grantRole(Roles.GUARDIAN, people[3], 0);
        _participants.registerImplementer("did:i", people[4], "I");
        _participants.registerSupplier("did:s", people[4], "S", "R");
        bytes32[] memory household = new bytes32[](1);
        household[0] = "h";
        _participants.registerHouseholds(household, new address[](0));
        for (uint256 i = 0; i < steps.length && i < 60; ++i) {
            IParticipants.Party kind = IParticipants.Party((steps[i] >> 16) % 3);
            _step(steps[i] % 9, kind, people[(steps[i] >> 8) % 6], people[(steps[i] >> 24) % 6]);
        }
    }

    /// @dev One step; what it changed must have been allowed to change.
    function _step(uint256 what, IParticipants.Party kind, address caller, address account) private {
        (address before, IParticipants.PendingAccount memory waiting) = _accountsOf(kind);
        uint256 proposed = _proposedAt[kind];
        vm.warp(block.timestamp + (what == 8 ? 1 days : 1 hours));
        vm.prank(caller);
        bytes memory data =
            what < 3
                ? abi.encodeCall(IParticipants.proposeAccount, (kind, 1, account))
                : what == 3
                    ? abi.encodeCall(IParticipants.dropAccount, (kind, 1))
                    : what == 4
                        ? abi.encodeCall(IParticipants.confirmAccount, (1, account))
                        : what == 5
                            ? abi.encodeCall(IParticipants.setSupplierStatus, (1, uint160(account) % 2 == 0, ""))
                            : what == 6
                                ? abi.encodeCall(IParticipants.setImplementerStatus, (1, uint160(account) % 2 == 0, ""))
                                : abi.encodeCall(IParticipants.finaliseAccount, (kind, 1));
        (bool success, ) = address(_participants).call(data);
        if (success && what < 3) {
            require(caller != address(13) || caller == before, Failed("proposed by an evaluator", what, 0));
            _proposedAt[kind] = block.timestamp;
        }
        if (what == 4) kind = IParticipants.Party.Household;
        (address then, ) = _accountsOf(kind);
        if (what == 4 || then == before) return;
        require(success && what > 6 && then == waiting.account, Failed("changed", what, uint160(then)));
        bool isFirst = before == address(0);
        require(isFirst || block.timestamp >= proposed + 1 days, Failed("early", block.timestamp, proposed));
        bool consented = kind != IParticipants.Party.Household || waiting.confirmed || waiting.byOwner;
        require(consented, Failed("consent", what, uint160(then)));
    }

    function _accountsOf(
        IParticipants.Party kind
    ) private view returns (address account, IParticipants.PendingAccount memory waiting) {
        waiting = _participants.pendingAccount(kind, 1);
        if (kind == IParticipants.Party.Implementer) account = _participants.implementerOf(1).account;
        else if (kind == IParticipants.Party.Supplier) account = _participants.supplierOf(1).account;
        else account = _participants.householdAccount(1);
    }

    /// @notice After any grants, revocations and delays, redemptions accept the same operators as the manager.
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
