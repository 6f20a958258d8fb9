// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {AllocationTree} from "../shared/AllocationTree.sol";
import {RegistryNames} from "../shared/RegistryNames.sol";
import {Roles} from "../shared/Roles.sol";
import {SerialRanges} from "../shared/SerialRanges.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {CarbonLots} from "./CarbonLots.sol";
import {ICertificates} from "./ICertificates.sol";

/// @title Certificates
/// @notice See `ICertificates`.
/// @dev
/// ISSUE. A chunk is marked whole by a flag next to its total, or leaf by leaf in a bitmap; a chunk with any leaf
/// issued alone can only be finished leaf by leaf.
///
/// Warning: an allocation whose last leaves break the sum can never be completed; the certificate stays pending, to be
/// revoked, and its id and serials are used up. The registrar checks the sum first.
contract Certificates is CarbonLots {
    using SerialRanges for SerialRanges.Store;

    /// @notice Type of the credential that a certificate is registered by.
    bytes32 private constant REDUCTION_CREDENTIAL = keccak256("EmissionReductionCredential");
    /// @notice Bytes of a full chunk's leaves.
    uint256 private constant CHUNK_BYTES = AllocationTree.CHUNK_LEAVES * AllocationTree.LEAF_BYTES;

    /// @param vouchers The voucher ledger, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IVouchers vouchers) CarbonLots(participants, vouchers) {}

    // Registration

    /// @inheritdoc ICertificates
    function registerCertificate(
        Registration calldata registration
    ) external onlyRegistrar returns (uint32 certificate) {
        return _register(registration);
    }

    /// @inheritdoc ICertificates
    function recordAllocation(uint32 certificate, bytes calldata leaves) external onlyRegistrar {
        _recordAllocation(certificate, leaves);
    }

    /// @inheritdoc ICertificates
    function registerAllocated(
        Registration calldata registration,
        bytes calldata leaves
    ) external onlyRegistrar returns (uint32 certificate) {
        certificate = _register(registration);
        _recordAllocation(certificate, leaves);
    }

    /// @inheritdoc ICertificates
    function setCertificateStatus(uint32 certificate, Status status, string calldata reason) external onlyRegistrar {
        Record storage record = _records[certificate];
        Status current = record.status;
        require(current != Status.None, UnknownCertificate(certificate));
        if (current == Status.Revoked) _requireNotFinal(certificate);
        bool allowed =
            (current == Status.Valid && status == Status.Suspended) ||
                (current == Status.Suspended && status == Status.Valid) ||
                (current != Status.Revoked && status == Status.Revoked);
        require(allowed, StatusNotAllowed(certificate, current, status));
        record.status = status;
        emit CertificateStatusChanged(certificate, status, reason);
        if (status == Status.Revoked) _addOutstanding(certificate, record.implementer, record.issued);
        VOUCHERS.setCertificateHalted(certificate, status != Status.Valid, status == Status.Revoked);
    }

    /// @inheritdoc ICertificates
    function vetoRevocation(uint32 certificate, string calldata reason) external {
        PARTICIPANTS.requireRole(Roles.GUARDIAN, msg.sender);
        Record storage record = _records[certificate];
        bool isComplete = record.recordedCount == record.allocationCount;
        Status status = isComplete ? Status.Suspended : Status.Pending;
        require(record.status == Status.Revoked, StatusNotAllowed(certificate, record.status, status));
        _requireNotFinal(certificate);
        record.status = status;
        emit CertificateStatusChanged(certificate, status, reason);
        _removeOutstanding(certificate, record.implementer, record.issued);
        VOUCHERS.setCertificateHalted(certificate, isComplete, false);
    }

    // Issue accounting

    /// @inheritdoc ICertificates
    function issueChunk(
        uint32 certificate,
        uint32 chunk
    ) external onlyVouchers returns (bytes32 root, uint16 count, uint64 total, uint32 plan) {
        Record storage record = _requireValid(certificate);
        count = uint16(_chunkLength(certificate, record.allocationCount, chunk));
        Chunk storage entry = _chunks[certificate][chunk];
        (root, total, plan) = (entry.root, entry.total, record.plan);
        if (entry.issued || entry.issuedLeaves != 0) return (root, 0, total, plan);
        entry.issued = true;
        _addIssued(certificate, record, total);
    }

    /// @inheritdoc ICertificates
    function issueLeaf(
        uint32 certificate,
        uint32 leaf,
        uint32 household,
        uint64 amount,
        bytes32[] calldata proof
    ) external onlyVouchers returns (uint32 plan) {
        Record storage record = _requireValid(certificate);
        (uint32 chunk, uint256 position) = _place(leaf);
        uint256 length = _chunkLength(certificate, record.allocationCount, chunk);
        Chunk storage entry = _chunks[certificate][chunk];
        require(
            AllocationTree.holds(entry.root, length, position, household, amount, proof),
            ProofInvalid(certificate, leaf)
        );
        uint256 mask = 1 << position;
        require(!entry.issued && entry.issuedLeaves & mask == 0, LeafAlreadyIssued(certificate, leaf));
        entry.issuedLeaves |= mask;
        _addIssued(certificate, record, amount);
        return record.plan;
    }

    /// @inheritdoc ICertificates
    function issueWhole(
        uint32 certificate,
        uint32 household,
        uint64 amount
    ) external onlyVouchers returns (uint32 plan) {
        Record storage record = _requireValid(certificate);
        require(record.allocationCount == 0, NotUnallocated(certificate));
        require(household != 0 && household <= PARTICIPANTS.householdCount(), HouseholdNotRegistered(household));
        uint64 reduction = record.verifiedReduction;
        require(amount == reduction, AllocationSumMismatch(certificate, amount, reduction));
        // A cancelled voucher lowers `issued`, so that only the mark shows that the certificate has been used.
        Chunk storage entry = _chunks[certificate][0];
        require(!entry.issued, LeafAlreadyIssued(certificate, 0));
        entry.issued = true;
        _addIssued(certificate, record, amount);
        return record.plan;
    }

    /// @inheritdoc ICertificates
    function returnRest(uint32 certificate, uint64 amount) external onlyVouchers {
        Record storage record = _records[certificate];
        uint64 issued = record.issued;
        require(amount <= issued, InvalidAmount());
        // Cannot underflow: just checked.
        unchecked {
            record.issued = issued - amount;
        }
        if (record.status == Status.Revoked) _removeOutstanding(certificate, record.implementer, amount);
    }

    /// @inheritdoc ICertificates
    function reissueRest(uint32 certificate, uint64 amount) external onlyVouchers {
        _addIssued(certificate, _requireValid(certificate), amount);
    }

    /// @dev For a certificate that is revoked.
    function _requireNotFinal(uint32 certificate) private view {
        uint24 finalFrom = VOUCHERS.revocationFinalFrom(certificate);
        require(block.timestamp / 1 days < finalFrom, RevocationFinal(certificate, finalFrom));
    }

    // Internals of registration

    function _register(Registration calldata registration) private returns (uint32 certificate) {
        _checkRegistration(registration);
        certificate = ++_certificateCount;
        bytes32 idHash = keccak256(bytes(registration.certificateId));
        require(certificateIndex[idHash] == 0, AlreadyRegistered(idHash, certificateIndex[idHash]));
        certificateIndex[idHash] = certificate;

        bytes32 credentialHash = registration.credentialHash;
        uint32 user = _credentials[credentialHash];
        require(user == 0, CredentialAlreadyUsed(credentialHash, user));
        _credentials[credentialHash] = certificate;

        _insertRange(certificate, registration);
        Record storage record = _records[certificate];
        record.implementer = registration.implementer;
        record.plan = registration.plan;
        record.vintage = registration.vintage;
        record.status = registration.allocationCount == 0 ? Status.Valid : Status.Pending;
        record.verifiedReduction = registration.verifiedReduction;
        record.allocationCount = registration.allocationCount;
        emit CertificateRegistered(certificate, registration.implementer, registration);
        if (registration.allocationCount == 0) emit CertificateStatusChanged(certificate, Status.Valid, "");
    }

    /// @dev Puts the certificate's range into its registry's list, unless it overlaps another.
    function _insertRange(uint32 certificate, Registration calldata registration) private {
        (uint64 firstSerial, uint64 lastSerial) = (registration.firstSerial, registration.lastSerial);
        uint32 met = _serials.insert(
            _openRegistry(registration.registry),
            certificate,
            firstSerial,
            lastSerial,
            registration.predecessor
        );
        require(met == 0, SerialsOverlap(registration.registry, firstSerial, lastSerial, met));
    }

    /// @dev The first certificate of a registry fixes how its name is spelled.
    /// @return key What all spellings of the name share.
    function _openRegistry(string calldata registry) private returns (bytes32 key) {
        key = RegistryNames.keyOf(registry);
        require(key != 0, RegistryNameInvalid(registry));
        bytes32 nameHash = keccak256(bytes(registry));
        bytes32 known = _registryNames[key];
        if (known == 0) _registryNames[key] = nameHash;
        else require(known == nameHash, RegistrySpelledDifferently(registry));
    }

    function _checkRegistration(Registration calldata registration) private view {
        require(bytes(registration.certificateId).length != 0 && bytes(registration.registry).length != 0, EmptyId());
        require(
            PARTICIPANTS.implementerOf(registration.implementer).account != address(0),
            UnknownImplementer(registration.implementer)
        );
        require(PARTICIPANTS.planOf(registration.plan).exists, UnknownPlan(registration.plan));
        require(
            registration.periodStart <= registration.periodEnd,
            InvalidPeriod(registration.periodStart, registration.periodEnd)
        );
        require(registration.verifiedReduction != 0, InvalidAmount());
        require(
            registration.firstSerial <= registration.lastSerial,
            InvalidSerials(registration.firstSerial, registration.lastSerial)
        );
        require(registration.credentialHash != 0, EmptyCredentialHash());
        require(
            PARTICIPANTS.isTrusted(registration.verifier, REDUCTION_CREDENTIAL, registration.credentialIssuedAt),
            VerifierNotTrusted(registration.verifier, registration.credentialIssuedAt)
        );
    }

    // Internals of the allocation

    function _recordAllocation(uint32 certificate, bytes calldata leaves) private {
        Record storage record = _records[certificate];
        uint256 recorded = record.recordedCount;
        uint256 recordedAfter = _checkLeaves(certificate, record, recorded, leaves.length);
        uint256 household = record.lastHousehold;
        uint256 allocated = record.allocated;
        for (uint256 start = 0; start < leaves.length; start += CHUNK_BYTES) {
            uint256 end = start + CHUNK_BYTES < leaves.length ? start + CHUNK_BYTES : leaves.length;
            // Whole chunks came before, so the number of bytes gives the chunk.
            uint32 chunk = uint32((recorded * AllocationTree.LEAF_BYTES + start) / CHUNK_BYTES);
            uint256 total;
            (household, total) = _recordChunk(certificate, chunk, leaves[start:end], household);
            allocated += total;
        }
        _closeRecording(certificate, record, recordedAfter, household, allocated);
    }

    function _checkLeaves(
        uint32 certificate,
        Record storage record,
        uint256 recorded,
        uint256 length
    ) private view returns (uint256 recordedAfter) {
        Status status = record.status;
        require(status != Status.None, UnknownCertificate(certificate));
        uint256 count = length / AllocationTree.LEAF_BYTES;
        uint32 allocationCount = record.allocationCount;
        recordedAfter = recorded + count;
        require(recordedAfter <= allocationCount, TooManyLeaves(certificate, recordedAfter, allocationCount));
        require(status == Status.Pending, CertificateNotValid(certificate, status));
        bool wholeChunks = recordedAfter == allocationCount || count % AllocationTree.CHUNK_LEAVES == 0;
        require(count != 0 && length % AllocationTree.LEAF_BYTES == 0 && wholeChunks, InvalidLeaves(length));
    }

    /// @dev Bounds what the loop has added up before it is narrowed, and makes a complete allocation valid.
    function _closeRecording(
        uint32 certificate,
        Record storage record,
        uint256 recordedCount,
        uint256 lastHousehold,
        uint256 allocated
    ) private {
        uint64 reduction = record.verifiedReduction;
        bool complete = recordedCount == record.allocationCount;
        // Households ascend, so the last is the greatest.
        require(lastHousehold <= PARTICIPANTS.householdCount(), HouseholdNotRegistered(uint32(lastHousehold)));
        require(
            complete ? allocated == reduction : allocated < reduction,
            AllocationSumMismatch(certificate, uint64(Math.min(allocated, type(uint64).max)), reduction)
        );
        record.recordedCount = uint32(recordedCount);
        record.lastHousehold = uint32(lastHousehold);
        record.allocated = uint64(allocated);
        if (!complete) return;
        record.status = Status.Valid;
        emit CertificateStatusChanged(certificate, Status.Valid, "");
    }

    function _recordChunk(
        uint32 certificate,
        uint32 chunk,
        bytes calldata leaves,
        uint256 previous
    ) private returns (uint256 lastHousehold, uint256 total) {
        bytes32[] memory hashes;
        bool valid;
        (hashes, lastHousehold, total, valid) = AllocationTree.hashLeaves(leaves, previous);
        if (!valid) _refuseLeaves(leaves, previous);
        bytes32 root = AllocationTree.rootOf(hashes);
        require(total <= type(uint64).max, InvalidAmount());
        _chunks[certificate][chunk].root = root;
        _chunks[certificate][chunk].total = uint64(total);
        emit AllocationRecorded(certificate, chunk, root, uint64(total), leaves);
    }

    /// @dev Says what is wrong with the first leaf that breaks a rule.
    function _refuseLeaves(bytes calldata leaves, uint256 previous) private pure {
        for (uint256 i = 0; i < leaves.length / AllocationTree.LEAF_BYTES; ++i) {
            (uint256 household, uint256 amount) = AllocationTree.leafAt(leaves, i);
            require(household > previous, HouseholdsNotAscending(uint32(previous), uint32(household)));
            require(amount != 0, InvalidAmount());
            previous = household;
        }
    }

    // Internals of issue

    function _requireValid(uint32 certificate) private view returns (Record storage record) {
        record = _records[certificate];
        Status status = record.status;
        require(status != Status.None, UnknownCertificate(certificate));
        require(status == Status.Valid, CertificateNotValid(certificate, status));
    }

    function _addIssued(uint32 certificate, Record storage record, uint64 amount) private {
        uint64 issued = record.issued;
        uint64 reduction = record.verifiedReduction;
        // `issued` never exceeds `reduction`, so the difference cannot underflow.
        require(amount <= reduction - issued, IssueExceedsReduction(certificate, issued, amount, reduction));
        // Cannot overflow: the sum is at most `reduction`.
        unchecked {
            record.issued = issued + amount;
        }
    }

    /// @dev Leaves in a chunk of an allocation; reverts when the allocation has no such chunk.
    function _chunkLength(uint32 certificate, uint256 allocationCount, uint32 chunk) private pure returns (uint256) {
        uint256 first = uint256(chunk) * AllocationTree.CHUNK_LEAVES;
        require(first < allocationCount, ChunkNotRecorded(certificate, chunk));
        uint256 rest = allocationCount - first;
        return rest < AllocationTree.CHUNK_LEAVES ? rest : AllocationTree.CHUNK_LEAVES;
    }
}
