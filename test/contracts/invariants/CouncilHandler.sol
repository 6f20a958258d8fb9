// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {Claims} from "../../../contracts/claims/Claims.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {Pool} from "../../../contracts/pool/Pool.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {HandlerState} from "./HandlerState.sol";
import {ISafe} from "./Vm.sol";

/// @title CouncilHandler
/// @notice Fuzzed actions of the council, with too few signatures and too early too, and intruders' attempts.
abstract contract CouncilHandler is HandlerState {
    struct Proposal {
        uint8 kind;
        uint64 value;
        uint256 scheduledAt;
        bool executed;
    }

    Proposal[] internal _proposals;

    /// @param mask Which of the three signers sign; one alone signs twice.
    function propose(uint8 kind, uint64 value, uint8 mask) external tracked("propose") {
        vm.assume(_proposals.length < 24);
        kind %= 8;
        Proposal memory proposal = Proposal(kind, value, block.timestamp, false);
        (address target, bytes memory data) = callOf(proposal);
        bytes32 salt = bytes32(_proposals.length);
        bytes memory schedule = abi.encodeCall(timelock.schedule, (target, 0, data, 0, salt, DELAY));
        sendByCouncil(schedule, mask);
        _proposals.push(proposal);
        if (signers(mask) < 2) violate("C1: a proposal below the threshold");
    }

    function execute(uint256 seed, uint8 mask) external tracked("execute") {
        vm.assume(_proposals.length > 0);
        uint256 at = seed % _proposals.length;
        Proposal storage proposal = _proposals[at];
        (address target, bytes memory data) = callOf(proposal);
        _isWithdrawal = proposal.kind == 5;
        sendByCouncil(abi.encodeCall(timelock.execute, (target, 0, data, 0, bytes32(at))), mask);
        if (signers(mask) < 2) violate("C1: an execution below the threshold");
        if (block.timestamp < proposal.scheduledAt + DELAY) violate("C1: an execution before its delay");
        if (proposal.executed) violate("C1: a proposal executed twice");
        proposal.executed = true;
        if (proposal.kind == 0) price = priceOf(proposal.value);
        if (proposal.kind == 1) _caps = capsOf(proposal.value);
        if (proposal.kind == 2) operatorCap = 50 * UNIT + (proposal.value % (150 * UNIT));
        if (proposal.kind == 3) disputeStake = proposal.value % (20 * UNIT);
        if (proposal.kind == 4) paused = false;
        if (proposal.kind == 6) authorizationRequired = false;
        if (proposal.kind == 7) fee = uint16(proposal.value % 1_001);
    }

    /// @dev Nobody but the one that it is for may do any of these.
    function intrude(uint8 who, uint8 what, uint64 value) external tracked("intrude") {
        address[7] memory intruders = [
            guardian,
            registrar,
            operator,
            evaluator,
            stranger,
            vm.addr(SIGNER_KEY),
            address(this)
        ];
        (address target, bytes memory data) = intrusion(what, value);
        vm.prank(intruders[who % 7]);
        (bool success, ) = target.call(data);
        if (success) violate("C1: an intruder's call went through");
    }

    function intrusion(uint8 what, uint64 value) private view returns (address target, bytes memory data) {
        what %= 15;
        if (what < 8) return callOf(Proposal(what, value, 0, false));
        if (what == 8) return (address(carbon), abi.encodeCall(carbon.mint, (value)));
        if (what == 9) {
            IVouchers.RedemptionStatus status = IVouchers.RedemptionStatus.UnderReview;
            return (address(vouchers), abi.encodeCall(IVouchers.setRedemptionStatus, (uint96(value), status)));
        }
        if (what == 10) return (address(vouchers), abi.encodeCall(IVouchers.settle, (uint96(value), stranger)));
        if (what == 11) return (address(pool), abi.encodeCall(Pool.payClaim, (1, stranger, value)));
        if (what == 12) return (address(vouchers), abi.encodeCall(IVouchers.setCertificateHalted, (1, false)));
        if (what == 13) return (address(certificates), abi.encodeCall(Certificates.returnRest, (1, value)));
        return (address(participants), abi.encodeCall(IAccessManager.grantRole, (Roles.COUNCIL, stranger, 0)));
    }

    function callOf(Proposal memory proposal) private view returns (address target, bytes memory data) {
        uint64 value = proposal.value;
        if (proposal.kind == 0) return (address(pool), abi.encodeCall(IPool.setPrice, (priceOf(value))));
        if (proposal.kind == 1) return (address(pool), abi.encodeCall(IPool.setCaps, (capsOf(value))));
        if (proposal.kind == 2) {
            uint64 cap = 50 * UNIT + (value % (150 * UNIT));
            return (address(claims), abi.encodeCall(Claims.setOperatorCap, (cap)));
        }
        if (proposal.kind == 3) return (address(claims), abi.encodeCall(Claims.setDisputeStake, (value % (20 * UNIT))));
        if (proposal.kind == 4) return (address(pool), abi.encodeCall(IPool.unpause, ()));
        if (proposal.kind == 5) {
            address token = value % 2 == 0 ? address(carbon) : address(stablecoin);
            return (address(pool), abi.encodeCall(Pool.withdraw, (token, treasury, value % (50 * UNIT))));
        }
        if (proposal.kind == 7) return (address(pool), abi.encodeCall(IPool.setFee, (uint16(value % 1_001))));
        return (address(vouchers), abi.encodeCall(IVouchers.setHouseholdAuthorizationRequired, (false)));
    }

    function priceOf(uint64 value) private pure returns (uint64) {
        return 15_000 + (value % 10_000);
    }

    function capsOf(uint64 value) private pure returns (IPool.Caps memory) {
        uint64 base = UNIT * (10 + (value % 20));
        return IPool.Caps(base, base + base / 4, base * 3, UNIT * 700, base * 2);
    }

    function signers(uint8 mask) private pure returns (uint256) {
        return (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1);
    }

    /// @dev A Safe transaction to the timelock, signed by whom the mask names; too few sign twice.
    function sendByCouncil(bytes memory data, uint8 mask) private {
        ISafe council = safe;
        bytes32 hash = council.getTransactionHash(
            address(timelock),
            0,
            data,
            0,
            0,
            0,
            0,
            address(0),
            address(0),
            council.nonce()
        );
        bytes memory signatures = collect(hash, mask);
        council.execTransaction(address(timelock), 0, data, 0, 0, 0, 0, address(0), payable(address(0)), signatures);
    }

    /// @dev Signatures in the order of their signers' addresses, as Safe wants them.
    function collect(bytes32 hash, uint8 mask) private pure returns (bytes memory signatures) {
        address last = address(0);
        for (uint256 round = 0; round < 3; ++round) {
            uint256 next = 3;
            for (uint256 i = 0; i < 3; ++i) {
                address candidate = vm.addr(SIGNER_KEY + i);
                if (candidate > last && (next == 3 || candidate < vm.addr(SIGNER_KEY + next))) next = i;
            }
            last = vm.addr(SIGNER_KEY + next);
            if ((mask >> next) & 1 == 0) continue;
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(SIGNER_KEY + next, hash);
            signatures = abi.encodePacked(signatures, r, s, v);
        }
        if (signers(mask) == 1) signatures = abi.encodePacked(signatures, signatures);
    }
}
