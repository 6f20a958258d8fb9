// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Members} from "../shared/Members.sol";
import {AllocationTree} from "../shared/AllocationTree.sol";
import {DayBucket} from "../shared/DayBucket.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherStore
/// @notice What every part of the ledger shares: references, storage, permissions, opening, views.
abstract contract VoucherStore is IVouchers {
    using DayBucket for uint256;
    using VoucherSlot for uint256;

    /// @dev One slot. Participants knows `authorizationRequired` and whether `haltedCount` is 0 too, and passes them on to redemptions.
    struct Totals {
        uint128 escrowed;
        uint32 batchCount;
        uint32 loneCount;
        uint32 haltedCount;
        bool authorizationRequired;
    }

    /// @dev Two slots, read by every opening.
    struct BatchRecord {
        uint256 template;
        bytes32 root;
    }

    /// @dev One word. A reference to it finds its place once, for reading and for writing.
    struct Slot {
        uint256 word;
    }

    /// @dev Micro-CARBON in a CARBON, in which plans count.
    uint64 internal constant CARBON_UNIT = 1e6;
    /// @dev In `_usedNonces` for a nonce that its household has cancelled; no redemption has this id.
    uint96 internal constant CANCELLED = type(uint96).max;

    /// @notice Knows who takes part, and who holds a role.
    IParticipants public immutable PARTICIPANTS;
    /// @notice The certificates.
    ICertificates public immutable CERTIFICATES;
    /// @inheritdoc IVouchers
    ICarbon public immutable CARBON;
    /// @notice The claims contract.
    address public immutable CLAIMS;
    /// @inheritdoc IVouchers
    address public immutable POOL;

    Totals internal _totals;
    mapping(uint64 voucher => uint256 word) internal _vouchers;
    mapping(uint96 redemption => uint256 word) internal _redemptions;
    mapping(uint32 batch => BatchRecord record) internal _batches;
    /// @dev Read by redemptions only while `haltedCount` is not zero.
    mapping(uint32 certificate => bool halted) internal _halted;
    /// @inheritdoc IVouchers
    mapping(uint32 certificate => uint24 day) public revocationFinalFrom;
    mapping(uint32 household => mapping(uint256 nonce => uint96 redemption)) internal _usedNonces;
    /// @dev When a suspended or cancelled voucher stopped working, seconds since 1970.
    mapping(uint64 voucher => uint40 time) internal _stoppedAt;
    /// @dev First day of sweeping where it is later than the day after the expiry: of a voucher, or of a batch by the
    /// id of its first voucher. Most vouchers are valid for longer than the grace and have no entry.
    mapping(uint64 voucher => uint24 day) internal _sweepDays;
    /// @dev The same of a certificate's vouchers: no day while it is suspended, and some grace after that. None before a
    /// revocation is final either: it could still be vetoed.
    mapping(uint32 certificate => uint24 day) internal _heldUntil;
    /// @inheritdoc IVouchers
    uint64 public lifecycleCap;
    /// @inheritdoc IVouchers
    uint64 public pinCap;
    /// @dev What each account cancels and reissues; what all together sweep is under the zero address, and what operators
    /// reverse under the ledger's own.
    mapping(address account => uint256 bucket) internal _lifecycle;
    /// @dev How much was redeemed without a consent that the chain can check (DayBucket). On PINs: by `_pinKey`. Without consent:
    /// by supplier, for all plans together, so that several plans give it no more than the largest of their caps; the same word
    /// holds the supplier's `KnownVerdict`.
    mapping(uint256 key => Slot) internal _allowances;
    /// @dev By voucher, or by the id of a batch's first voucher.
    mapping(uint64 voucher => bytes32 root) internal _codeRoots;

    constructor(
        IParticipants participants,
        ICertificates certificates,
        ICarbon carbon,
        address claims,
        address pool,
        uint64 initialLifecycleCap,
        uint64 initialPinCap
    ) {
        PARTICIPANTS = participants;
        CERTIFICATES = certificates;
        CARBON = carbon;
        CLAIMS = claims;
        POOL = pool;
        _setLifecycleCap(initialLifecycleCap);
        _setPinCap(initialPinCap);
    }

    modifier onlyRole(uint64 role) {
        _requireRole(role);
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
        return VoucherSlot.unpackBatch(_batches[batch].template, _batches[batch].root);
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
        return _halted[certificate];
    }

    /// @inheritdoc IVouchers
    function escrowed() external view returns (uint256) {
        return _totals.escrowed;
    }

    /// @inheritdoc IVouchers
    function lifecycleLeft(address account) external view returns (uint64) {
        return _lifecycle[account].left(lifecycleCap);
    }

    /// @inheritdoc IVouchers
    function pinLeft(address operator) external view returns (uint64) {
        return _allowances[_pinKey(operator)].word.left(pinCap);
    }

    /// @inheritdoc IVouchers
    function unconsentedLeft(uint32 plan, uint32 supplier) external view returns (uint64) {
        return _allowances[supplier].word.left(PARTICIPANTS.planOf(plan).unconsentedCap * CARBON_UNIT);
    }

    /// @inheritdoc IVouchers
    function codeRootOf(uint64 voucher) public view returns (bytes32) {
        uint64 batch = voucher >> 32;
        if (batch != 0) voucher = _batches[uint32(batch)].template.keyBatchOf(batch) << 32;
        return _codeRoots[voucher];
    }

    /// @inheritdoc IVouchers
    function sweepableFrom(uint64 voucher) public view returns (uint24) {
        uint256 word = _vouchers[voucher];
        uint64 first = (voucher >> 32) << 32;
        if (word == 0) word = _batches[uint32(voucher >> 32)].template;
        uint256 later = Math.max(_sweepDays[voucher], _sweepDays[first]);
        later = Math.max(later, _heldUntil[word.certificateOf()]);
        return _asDay(Math.max(uint256(word.expiryDayOf()) + 1, later));
    }

    /// @inheritdoc IVouchers
    function reissueExpiry(uint64 voucher) public view returns (uint24) {
        return
            uint24(
                Math.max(_today(), _extended(_vouchers[voucher].expiryDayOf(), _stoppedAt[voucher], block.timestamp))
            );
    }

    // Opening.

    /// @dev The voucher that household, value and proof open; 0 when they do not hold.
    function _proven(
        uint64 id,
        uint32 household,
        uint64 value,
        bytes32[] calldata proof
    ) internal view returns (uint256 word) {
        BatchRecord storage batch = _batches[uint32(id >> 32)];
        uint256 template = batch.template;
        bool holds = AllocationTree.holds(batch.root, uint16(template), uint32(id), household, value, proof);
        return holds ? VoucherSlot.openVoucher(template, household, value) : 0;
    }

    function _save(uint64 id, Voucher memory voucher) internal {
        _vouchers[id] = VoucherSlot.pack(voucher);
    }

    function _load(uint64 id) internal view returns (Voucher memory) {
        return VoucherSlot.unpack(_loadWord(id));
    }

    /// @dev An opened voucher; reverts when there is none.
    function _loadWord(uint64 id) internal view returns (uint256 word) {
        word = _vouchers[id];
        if (word != 0) return word;
        require(uint32(id) < uint16(_batches[uint32(id >> 32)].template), UnknownVoucher(id));
        revert VoucherNotOpened(id);
    }

    /// @dev Whether a certificate is revoked for ever, so that its CARBON is burned instead of going to the pool.
    function _isRevoked(uint32 certificate) internal view returns (bool) {
        uint24 day = revocationFinalFrom[certificate];
        return day != 0 && _today() >= day;
    }

    function _today() internal view returns (uint24) {
        return uint24(block.timestamp / 1 days);
    }

    /// @dev A last day, later by the midnights (UTC) between two times. So no sequence of calls adds more days than pass.
    function _extended(uint24 day, uint256 from, uint256 to) internal pure returns (uint24) {
        // Days have 24 bits, times 40, and `from` is not after `to`.
        unchecked {
            return _asDay(day + to / 1 days - from / 1 days);
        }
    }

    /// @dev Dates may lie as far ahead as a day's number reaches.
    function _asDay(uint256 day) internal pure returns (uint24) {
        return uint24(Math.min(day, type(uint24).max));
    }

    function _setLifecycleCap(uint64 cap) internal {
        lifecycleCap = cap;
        emit LifecycleCapChanged(cap);
    }

    function _setPinCap(uint64 cap) internal {
        pinCap = cap;
        emit PinCapChanged(cap);
    }

    /// @dev Above every supplier's number.
    function _pinKey(address operator) internal pure returns (uint256) {
        return (1 << 160) | uint160(operator);
    }

    function _requireRole(uint64 role) internal view {
        PARTICIPANTS.requireRole(role, msg.sender);
    }

    function _holdsRole(uint64 role, address account) internal view returns (bool) {
        return Members.holds(PARTICIPANTS, role, account);
    }
}
