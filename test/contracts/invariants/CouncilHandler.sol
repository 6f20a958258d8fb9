// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {Claims} from "../../../contracts/claims/Claims.sol";
import {IInvalidationBuffer} from "../../../contracts/itmo/IInvalidationBuffer.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
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
        bool cancelled;
    }

    Proposal[] internal _proposals;

    /// @param mask Which of the three signers sign; one alone signs twice.
    function propose(uint8 kind, uint64 value, uint8 mask) external tracked {
        vm.assume(_proposals.length < 24);
        kind %= 11;
        Proposal memory proposal = Proposal(kind, value, block.timestamp, false, false);
        (address target, bytes memory data) = callOf(proposal);
        bytes32 salt = bytes32(_proposals.length);
        bytes memory schedule = abi.encodeCall(timelock.schedule, (target, 0, data, 0, salt, DELAY));
        sendByCouncil(schedule, mask);
        _proposals.push(proposal);
        if (signers(mask) < 2) violate("C1: a proposal below the threshold");
    }

    function execute(uint256 seed, uint8 mask) external tracked {
        vm.assume(_proposals.length > 0);
        uint256 at = pickProposal(seed);
        Proposal storage proposal = _proposals[at];
        (address target, bytes memory data) = callOf(proposal);
        _isWithdrawal = proposal.kind == 5;
        sendByCouncil(abi.encodeCall(timelock.execute, (target, 0, data, 0, bytes32(at))), mask);
        if (signers(mask) < 2) violate("C1: an execution below the threshold");
        if (block.timestamp < proposal.scheduledAt + DELAY) violate("C1: an execution before its delay");
        if (proposal.executed) violate("C1: a proposal executed twice");
        if (proposal.cancelled) violate("C1: a cancelled proposal executed");
        proposal.executed = true;
        if (proposal.kind == 0) expectPrice(priceOf(proposal.value));
        if (proposal.kind == 1) _caps = capsOf(proposal.value);
        if (proposal.kind == 2) operatorCap = 50 * TONNE + (proposal.value % (150 * TONNE));
        if (proposal.kind == 3) disputeStake = proposal.value % (20 * TONNE);
        if (proposal.kind == 4) paused = false;
        if (proposal.kind == 6) authorizationRequired = false;
        if (proposal.kind == 7) fee = uint16(proposal.value % 1_001);
        if (proposal.kind == 8) expectItmoCap(200 + (proposal.value % 400));
        if (proposal.kind == 9) expectWaiver(proposal.value);
        if (proposal.kind == 10) expectBufferTerms(bufferShare(proposal.value));
    }

    function expectWaiver(uint64 value) private {
        (uint32 supplier, uint64 amount) = waiverOf(value);
        debtOf[supplier] -= amount < debtOf[supplier] ? amount : debtOf[supplier];
    }

    /// @dev Mostly the first from the seed's on that is due, sometimes any.
    function pickProposal(uint256 seed) private view returns (uint256 at) {
        uint256 count = _proposals.length;
        for (uint256 i = 0; i < count; ++i) {
            at = ((seed % count) + i) % count;
            bool isDue = block.timestamp >= _proposals[at].scheduledAt + DELAY;
            if (seed % 4 == 0 || (isDue && !_proposals[at].executed && !_proposals[at].cancelled)) return at;
        }
    }

    function cancelProposal(uint256 seed) external tracked {
        vm.assume(_proposals.length > 0 && seed % 4 == 0);
        uint256 at = (seed / 4) % _proposals.length;
        (address target, bytes memory data) = callOf(_proposals[at]);
        bytes32 id = timelock.hashOperation(target, 0, data, 0, bytes32(at));
        vm.prank(guardian);
        timelock.cancel(id);
        _proposals[at].cancelled = true;
    }

    /// @dev Each of these is allowed only for one role.
    function intrude(uint8 who, uint8 what, uint64 value) external tracked {
        address[7] memory intruders = [
            guardian,
            what % 28 > 15 ? implementers[1] : registrar,
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
        what %= 28;
        if (what < 9) return callOf(Proposal(what, value, 0, false, false));
        if (what == 24 || what == 25) return callOf(Proposal(what - 15, value, 0, false, false));
        if (what > 15) return itmoIntrusion(what, value);
        if (what == 15) return (address(carbon), abi.encodeCall(carbon.mint, (value)));
        if (what == 9) {
            IVouchers.RedemptionStatus status = IVouchers.RedemptionStatus.UnderReview;
            return (address(vouchers), abi.encodeCall(IVouchers.setRedemptionStatus, (uint96(value), status)));
        }
        if (what == 10) return (address(vouchers), abi.encodeCall(IVouchers.settle, (uint96(value), stranger, value)));
        if (what == 11) return (address(pool), abi.encodeCall(Pool.payClaim, (1, stranger, value)));
        if (what == 12) return (address(vouchers), abi.encodeCall(IVouchers.setCertificateHalted, (1, false, false)));
        if (what == 13) return (address(certificates), abi.encodeCall(Certificates.returnRest, (1, value)));
        return (address(participants), abi.encodeCall(IAccessManager.grantRole, (Roles.COUNCIL, stranger, 0)));
    }

    function itmoIntrusion(uint8 what, uint64 value) private view returns (address, bytes memory data) {
        IItmo.Part memory part = IItmo.Part((uint96(value % 4) << 64) | 1, 1, 1);
        uint32 conversion = uint32(value % 8);
        if (what == 16) data = abi.encodeCall(IItmo.finalise, (conversion, "ZMB01", 1, 1, 0));
        if (what == 17) data = abi.encodeCall(IItmo.revertConversion, (conversion, ""));
        if (what == 18) data = abi.encodeCall(IItmo.transfer, (part, "CHE", ""));
        if (what == 19) data = abi.encodeCall(IItmo.useForNdc, (part, 2025, ""));
        if (what == 20) data = abi.encodeCall(IItmo.useForOimp, (part, IItmo.Purpose.Imp, "", ""));
        if (what == 21) data = abi.encodeCall(IItmo.cancel, (part, IItmo.Cancellation.Other, "", ""));
        if (what == 22) data = abi.encodeCall(IItmo.setDailyCap, (type(uint64).max));
        if (what == 23) data = abi.encodeCall(IItmo.setAuthorizedQuantity, (1, type(uint64).max, ""));
        if (what == 26) data = abi.encodeCall(IItmo.releaseBuffered, (part.blockId));
        if (what == 27) data = abi.encodeCall(IItmo.cancelBuffered, (part.blockId, 1));
        return (address(itmo), data);
    }

    function callOf(Proposal memory proposal) private view returns (address target, bytes memory data) {
        uint64 value = proposal.value;
        if (proposal.kind == 0) return (address(pool), abi.encodeCall(IPool.setPrice, (priceOf(value))));
        if (proposal.kind == 1) return (address(pool), abi.encodeCall(IPool.setCaps, (capsOf(value))));
        if (proposal.kind == 2) {
            uint64 cap = 50 * TONNE + (value % (150 * TONNE));
            return (address(claims), abi.encodeCall(Claims.setOperatorCap, (cap)));
        }
        if (proposal.kind == 3)
            return (address(claims), abi.encodeCall(Claims.setDisputeStake, (value % (20 * TONNE))));
        if (proposal.kind == 4) return (address(pool), abi.encodeCall(IPool.unpause, ()));
        if (proposal.kind == 5) {
            address token = value % 2 == 0 ? address(carbon) : address(stablecoin);
            return (address(pool), abi.encodeCall(Pool.withdraw, (token, treasury, value % (50 * TONNE))));
        }
        if (proposal.kind == 7) return (address(pool), abi.encodeCall(IPool.setFee, (uint16(value % 1_001))));
        if (proposal.kind == 8) return (address(itmo), abi.encodeCall(IItmo.setDailyCap, (200 + (value % 400))));
        if (proposal.kind == 9) {
            (uint32 supplier, uint64 amount) = waiverOf(value);
            return (address(claims), abi.encodeCall(Claims.waiveDebt, (supplier, amount, "")));
        }
        if (proposal.kind == 10) {
            uint16 share = bufferShare(value);
            uint16 holdDays = share == 0 ? 0 : 1 + uint16(value % 40);
            return (address(buffer), abi.encodeCall(IInvalidationBuffer.setTerms, (share, holdDays)));
        }
        return (address(vouchers), abi.encodeCall(IVouchers.setHouseholdAuthorizationRequired, (false)));
    }

    /// @dev Mostly a share, sometimes none.
    function bufferShare(uint64 value) private pure returns (uint16) {
        return value % 5 == 0 ? 0 : 1 + uint16(value % 2_000);
    }

    function waiverOf(uint64 value) private pure returns (uint32 supplier, uint64 amount) {
        return (1 + uint32(value % 2), 1 + (value % (50 * TONNE)));
    }

    function priceOf(uint64 value) private pure returns (uint64) {
        return 15_000 + (value % 10_000);
    }

    function capsOf(uint64 value) private pure returns (IPool.Caps memory) {
        uint64 base = TONNE * (10 + (value % 20));
        return IPool.Caps(base, base + base / 4, base * 3, TONNE * 700, base * 2);
    }

    function signers(uint8 mask) private pure returns (uint256) {
        return (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1);
    }

    /// @dev A Safe transaction to the timelock, signed by the mask's signers; too few sign twice.
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

    /// @dev Signatures in the order of their signers' addresses, as Safe requires.
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
            signatures = abi.encodePacked(signatures, signed(SIGNER_KEY + next, hash));
        }
        if (signers(mask) == 1) signatures = abi.encodePacked(signatures, signatures);
    }
}
