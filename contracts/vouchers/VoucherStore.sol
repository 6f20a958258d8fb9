// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherStore
/// @notice What every part of the ledger shares: references, storage, permissions, opening, views.
abstract contract VoucherStore is IVouchers {
    /// @dev One slot, read by every redemption.
    struct Totals {
        uint128 escrowed;
        uint32 batchCount;
        uint32 loneCount;
        bool authorizationRequired;
    }

    /// @dev One slot for each certificate, read by every redemption. `listsProducts` repeats its plan's, which never
    /// changes.
    struct Terms {
        bool halted;
        bool listsProducts;
    }

    IParticipants public immutable PARTICIPANTS;
    ICertificates public immutable CERTIFICATES;
    ICarbon public immutable CARBON;
    address public immutable CLAIMS;
    address public immutable POOL;

    Totals internal _totals;
    mapping(uint64 voucher => uint256 word) internal _vouchers;
    mapping(uint96 redemption => uint256 word) internal _redemptions;
    mapping(uint32 batch => Batch record) internal _batches;
    mapping(uint32 certificate => Terms terms) internal _terms;
    mapping(uint32 household => mapping(uint256 nonce => uint96 redemption)) internal _usedNonces;

    constructor(IParticipants participants, ICertificates certificates, ICarbon carbon, address claims, address pool) {
        PARTICIPANTS = participants;
        CERTIFICATES = certificates;
        CARBON = carbon;
        CLAIMS = claims;
        POOL = pool;
    }

    modifier onlyRole(uint64 role) {
        PARTICIPANTS.requireRole(role, msg.sender);
        _;
    }

    modifier onlyClaims() {
        require(msg.sender == CLAIMS, OnlyClaims(msg.sender));
        _;
    }

    // Views.

    /// @inheritdoc IVouchers
    function voucherOf(uint64 voucher) public view returns (Voucher memory) {
        return VoucherSlot.unpack(_vouchers[voucher]);
    }

    /// @inheritdoc IVouchers
    function redemptionOf(uint96 redemption) public view returns (Redemption memory) {
        return VoucherSlot.unpackRedemption(_redemptions[redemption]);
    }

    /// @inheritdoc IVouchers
    function batchOf(uint32 batch) external view returns (Batch memory) {
        return _batches[batch];
    }

    /// @inheritdoc IVouchers
    function batchCount() external view returns (uint32) {
        return _totals.batchCount;
    }

    /// @inheritdoc IVouchers
    function authorizationUsed(uint32 household, uint256 nonce) external view returns (uint96) {
        return _usedNonces[household][nonce];
    }

    /// @inheritdoc IVouchers
    function householdAuthorizationRequired() external view returns (bool) {
        return _totals.authorizationRequired;
    }

    /// @inheritdoc IVouchers
    function certificateHalted(uint32 certificate) external view returns (bool) {
        return _terms[certificate].halted;
    }

    /// @inheritdoc IVouchers
    function escrowed() external view returns (uint256) {
        return _totals.escrowed;
    }

    // Opening.

    /// @dev The voucher that an opening proves, in memory; status None when it does not hold.
    function _proven(Opening calldata opening) internal view returns (Voucher memory voucher) {
        Batch storage batch = _batches[uint32(opening.voucher >> 32)];
        uint32 position = uint32(opening.voucher);
        if (position >= batch.count) return voucher;
        if (_rootOf(opening, position) != batch.root) return voucher;
        voucher = Voucher({
            remaining: opening.value,
            startDay: batch.startDay,
            expiryDay: batch.expiryDay,
            certificate: batch.certificate,
            household: opening.household,
            plan: batch.plan,
            redemptions: 0,
            claimWindowHours: batch.claimWindowHours,
            status: Status.Active
        });
    }

    function _save(uint64 id, Voucher memory voucher) internal {
        _vouchers[id] = VoucherSlot.pack(voucher);
    }

    /// @dev An opened voucher; reverts when there is none.
    function _load(uint64 id) internal view returns (Voucher memory voucher) {
        voucher = voucherOf(id);
        if (voucher.status != Status.None) return voucher;
        require(uint32(id) < _batches[uint32(id >> 32)].count, UnknownVoucher(id));
        revert VoucherNotOpened(id);
    }

    function _today() internal view returns (uint24) {
        return uint24(block.timestamp / 1 days);
    }

    function _holdsRole(uint64 role, address account) internal view returns (bool) {
        (bool isMember, uint32 delay) = IAccessManager(address(PARTICIPANTS)).hasRole(role, account);
        return isMember && delay == 0;
    }

    /// @dev The root that an opening's leaf and proof lead to. A proof of another length leads elsewhere.
    function _rootOf(Opening calldata opening, uint32 position) private pure returns (bytes32 node) {
        node = keccak256(abi.encodePacked(opening.household, opening.value));
        bytes32[] calldata proof = opening.proof;
        for (uint256 level = 0; level < proof.length; ++level) {
            bytes32 sibling = proof[level];
            bool isRight = (position >> level) & 1 == 1;
            node = isRight ? _hashPair(sibling, node) : _hashPair(node, sibling);
        }
    }

    function _hashPair(bytes32 left, bytes32 right) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0x00, left)
            mstore(0x20, right)
            hash := keccak256(0x00, 0x40)
        }
    }
}
