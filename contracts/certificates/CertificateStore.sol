// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {AllocationTree} from "../shared/AllocationTree.sol";
import {RegistryNames} from "../shared/RegistryNames.sol";
import {Roles} from "../shared/Roles.sol";
import {SerialRanges} from "../shared/SerialRanges.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {ICertificates} from "./ICertificates.sol";

/// @title CertificateStore
/// @notice What is known of each certificate, and how it is read; see `ICertificates`.
abstract contract CertificateStore is ICertificates {
    using SerialRanges for SerialRanges.Store;

    /// @dev Two slots. A claim's payment and a conversion write only the second.
    /// @param released CARBON that has left the voucher ledger.
    /// @param taken Part of `released` that conversions have taken.
    struct Record {
        uint32 implementer;
        uint32 plan;
        Status status;
        uint64 verifiedReduction;
        uint64 issued;
        uint32 allocationCount;
        uint16 vintage;
        uint32 recordedCount;
        uint32 lastHousehold;
        uint64 allocated;
        uint64 released;
        uint64 taken;
    }

    /// @dev The first two members share a slot, so that issuing a chunk writes no new one.
    struct Chunk {
        uint64 total;
        bool issued;
        bytes32 root;
        uint256 issuedLeaves;
    }

    /// @notice Who takes part, and who may do what.
    IParticipants public immutable PARTICIPANTS;
    /// @notice The only contract that issues.
    IVouchers public immutable VOUCHERS;

    /// @dev The ranges of certificates, disjoint within each registry. A revoked certificate keeps its range.
    SerialRanges.Store internal _serials;
    /// @dev Hash of each registry's name as its first certificate spelled it, by what all spellings share.
    mapping(bytes32 registryKey => bytes32 nameHash) internal _registryNames;
    uint32 internal _certificateCount;
    /// @inheritdoc ICertificates
    mapping(bytes32 certificateIdHash => uint32 certificate) public certificateIndex;
    mapping(bytes32 credentialHash => uint32 certificate) internal _credentials;
    mapping(uint32 certificate => Record) internal _records;
    mapping(uint32 certificate => mapping(uint32 chunk => Chunk)) internal _chunks;

    /// @param vouchers The voucher ledger, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IVouchers vouchers) {
        PARTICIPANTS = participants;
        VOUCHERS = vouchers;
    }

    modifier onlyRegistrar() {
        PARTICIPANTS.requireRole(Roles.REGISTRAR, msg.sender);
        _;
    }

    modifier onlyVouchers() {
        require(msg.sender == address(VOUCHERS), OnlyVouchers(msg.sender));
        _;
    }

    /// @inheritdoc ICertificates
    function certificateOf(uint32 certificate) external view returns (Certificate memory) {
        Record memory record = _records[certificate];
        SerialRanges.Range memory range = _serials.ranges[certificate];
        return
            Certificate({
                implementer: record.implementer,
                plan: record.plan,
                status: record.status,
                verifiedReduction: record.verifiedReduction,
                issued: record.issued,
                allocationCount: record.allocationCount,
                recordedCount: record.recordedCount,
                allocated: record.allocated,
                firstSerial: range.firstId,
                lastSerial: range.lastId
            });
    }

    /// @inheritdoc ICertificates
    function allocationOf(uint32 certificate) external view returns (uint32 implementer, uint32 allocationCount) {
        Record storage record = _records[certificate];
        return (record.implementer, record.allocationCount);
    }

    /// @inheritdoc ICertificates
    function serialPredecessor(string calldata registry, uint64 serial) external view returns (uint32 predecessor) {
        return _serials.predecessorOf(RegistryNames.keyOf(registry), serial);
    }

    /// @inheritdoc ICertificates
    function registryNameHash(string calldata registry) external view returns (bytes32 nameHash) {
        return _registryNames[RegistryNames.keyOf(registry)];
    }

    /// @inheritdoc ICertificates
    function chunkRoot(uint32 certificate, uint32 chunk) external view returns (bytes32) {
        return _chunks[certificate][chunk].root;
    }

    /// @inheritdoc ICertificates
    function isLeafIssued(uint32 certificate, uint32 leaf) external view returns (bool) {
        (uint32 chunk, uint256 position) = _place(leaf);
        Chunk storage entry = _chunks[certificate][chunk];
        if (entry.issuedLeaves & (1 << position) != 0) return true;
        uint32 allocationCount = _records[certificate].allocationCount;
        return entry.issued && leaf < (allocationCount == 0 ? 1 : allocationCount);
    }

    /// @inheritdoc ICertificates
    function allocationRoot(uint32 certificate) external view returns (bytes32) {
        uint256 count = _records[certificate].recordedCount;
        bytes32[] memory roots = new bytes32[]((count + AllocationTree.CHUNK_LEAVES - 1) / AllocationTree.CHUNK_LEAVES);
        for (uint32 chunk = 0; chunk < roots.length; ++chunk) roots[chunk] = _chunks[certificate][chunk].root;
        return AllocationTree.rootOf(roots);
    }

    /// @inheritdoc ICertificates
    function isSpendable(uint32 certificate) external view returns (bool) {
        return _records[certificate].status == Status.Valid;
    }

    /// @dev Where a leaf of an allocation stands.
    function _place(uint32 leaf) internal pure returns (uint32 chunk, uint256 position) {
        return (uint32(leaf / AllocationTree.CHUNK_LEAVES), leaf % AllocationTree.CHUNK_LEAVES);
    }
}
