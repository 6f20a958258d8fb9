// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";

/// @notice Properties of registration and issue accounting. The test is registrar, operator and voucher ledger.
contract CertificatesTest {
    Participants private _participants;
    Certificates private _certificates;
    uint256 private _registered;

    error Failed(string what, uint256 actual, uint256 expected);

    function setUp() external {
        _participants = new Participants(address(this));
        _participants.grantRole(Roles.REGISTRAR, address(this), 0);
        _participants.grantRole(Roles.OPERATOR, address(this), 0);
        _participants.registerImplementer("did:implementer", address(this), "");
        string[] memory types = new string[](1);
        types[0] = "EmissionReductionCredential";
        _participants.trustIssuer("did:verifier", types, 0, 0);
        bytes32[] memory households = new bytes32[](300);
        for (uint256 i = 0; i < households.length; ++i) households[i] = keccak256(abi.encode(i));
        _participants.registerHouseholds(households, new address[](0));
        _certificates = new Certificates(_participants, IVouchers(address(this)));
    }

    /// @dev The ledger's side of a change of status.
    function setCertificateHalted(uint32, bool, bool) external {}

    /// @notice Whatever the ranges, the order and the hints: a range is taken if and only if it meets none.
    function testFuzzSerialRangesStayDisjoint(
        uint16[12] calldata starts,
        uint8[12] calldata lengths,
        uint8[12] calldata hints
    ) external {
        uint64[] memory firsts = new uint64[](12);
        uint64[] memory lasts = new uint64[](12);
        uint256 taken = 0;
        for (uint256 i = 0; i < 12; ++i) {
            uint64 first = starts[i] % 1024;
            uint64 last = first + lengths[i];
            bool free = true;
            for (uint256 k = 0; k < taken; ++k) if (first <= lasts[k] && firsts[k] <= last) free = false;
            bool accepted = _tryRegister(first, last, 10, 0, hints[i] % 14);
            require(accepted == free, Failed("accepted", first, last));
            if (!accepted) continue;
            (firsts[taken], lasts[taken]) = (first, last);
            ++taken;
        }
        _requireAscending(firsts, taken);
    }

    /// @notice Only leaves that ascend, are registered and sum up to the reduction make a certificate valid.
    function testFuzzAllocationSumsUp(uint256 seed, uint16 size, int8 miss) external {
        uint256 count = 1 + (uint256(size) % 300);
        bytes memory leaves;
        uint64 sum = 0;
        for (uint256 i = 0; i < count; ++i) {
            uint64 amount = 1 + (uint64(uint256(keccak256(abi.encode(seed, i)))) >> 16);
            sum += amount;
            leaves = abi.encodePacked(leaves, uint32(i + 1), amount);
        }
        uint64 reduction = uint64(uint256(int256(uint256(sum)) + 128 + miss));
        bool accepted = _tryAllocate(reduction, uint32(count), leaves);
        require(accepted == (miss == -128), Failed("accepted", sum, reduction));
        if (!accepted) return;
        ICertificates.Certificate memory certificate = _certificates.certificateOf(1);
        require(certificate.status == ICertificates.Status.Valid, Failed("status", uint8(certificate.status), 2));
        require(certificate.allocated == reduction, Failed("allocated", certificate.allocated, reduction));
    }

    /// @notice Issued never exceeds verified, whatever is issued, returned and issued again.
    function testFuzzIssuedNeverExceedsVerified(uint64 verified, uint64[8] calldata amounts, uint8 kinds) external {
        if (verified == 0) verified = 1;
        require(_tryRegister(0, 0, verified, 0, 0), Failed("registered", 0, 1));
        _certificates.issueWhole(1, 1, verified);
        uint64 issued = verified;
        for (uint256 i = 0; i < 8; ++i) {
            bool back = (kinds >> i) & 1 == 1;
            bool possible = back ? amounts[i] <= issued : amounts[i] <= verified - issued;
            require(_tryMove(back, amounts[i]) == possible, Failed("moved", issued, amounts[i]));
            if (possible) issued = back ? issued - amounts[i] : issued + amounts[i];
            uint64 actual = _certificates.certificateOf(1).issued;
            require(actual == issued && actual <= verified, Failed("issued", actual, issued));
        }
    }

    /// @notice A leaf is issued once: alone, or with its chunk, in any order.
    function testFuzzLeavesAreIssuedOnce(uint8[10] calldata places, uint16 kinds) external {
        bytes memory leaves;
        for (uint256 i = 0; i < 2; ++i) leaves = abi.encodePacked(leaves, uint32(i + 1), uint64(5));
        require(_tryAllocate(10, 2, leaves), Failed("allocated", 0, 1));
        uint256 issued = 0;
        bool[2] memory done;
        for (uint256 i = 0; i < 10; ++i) {
            uint32 leaf = places[i] % 2;
            if ((kinds >> i) & 1 == 1) {
                (, uint16 count, , ) = _certificates.issueChunk(1, 0);
                require(count == (done[0] || done[1] ? 0 : 2), Failed("chunk", count, i));
                if (count == 2) (done[0], done[1], issued) = (true, true, 10);
            } else {
                bool accepted = _tryIssueLeaf(leaf);
                require(accepted == !done[leaf], Failed("leaf", leaf, i));
                if (accepted) (done[leaf], issued) = (true, issued + 5);
            }
            require(_certificates.certificateOf(1).issued == issued, Failed("issued", issued, i));
        }
    }

    function _tryIssueLeaf(uint32 leaf) private returns (bool) {
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = keccak256(abi.encodePacked(uint32(2 - leaf), uint64(5)));
        try _certificates.issueLeaf(1, leaf, leaf + 1, 5, proof) {
            return true;
        } catch {
            return false;
        }
    }

    function _tryMove(bool back, uint64 amount) private returns (bool) {
        if (back) {
            try _certificates.returnRest(1, amount) {
                return true;
            } catch {
                return false;
            }
        }
        try _certificates.reissueRest(1, amount) {
            return true;
        } catch {
            return false;
        }
    }

    function _tryRegister(
        uint64 first,
        uint64 last,
        uint64 reduction,
        uint32 count,
        uint32 hint
    ) private returns (bool) {
        try _certificates.registerCertificate(_registration(first, last, reduction, count, hint)) {
            return true;
        } catch {
            return false;
        }
    }

    function _tryAllocate(uint64 reduction, uint32 count, bytes memory leaves) private returns (bool) {
        try _certificates.registerAllocated(_registration(0, 0, reduction, count, 0), leaves) {
            return true;
        } catch {
            return false;
        }
    }

    function _registration(
        uint64 first,
        uint64 last,
        uint64 reduction,
        uint32 count,
        uint32 hint
    ) private returns (ICertificates.Registration memory) {
        ++_registered;
        return
            ICertificates.Registration({
                certificateId: string(abi.encode(_registered)),
                activityId: "",
                implementer: 1,
                plan: 0,
                vintage: 2024,
                periodStart: 0,
                periodEnd: 0,
                verifiedReduction: reduction,
                registry: "R",
                firstSerial: first,
                lastSerial: last,
                verifier: keccak256("did:verifier"),
                credentialIssuedAt: 1,
                credentialHash: keccak256(abi.encode(_registered)),
                allocationCount: count,
                predecessor: hint
            });
    }

    /// @dev The list, walked backwards by the greatest first serial, has every range taken.
    function _requireAscending(uint64[] memory firsts, uint256 taken) private view {
        for (uint256 k = 0; k < taken; ++k) {
            uint32 place = _certificates.serialPredecessor("R", firsts[k]);
            require(_certificates.certificateOf(place).firstSerial == firsts[k], Failed("listed", place, firsts[k]));
        }
    }
}
