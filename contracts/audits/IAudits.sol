// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IAudits
/// @notice Anchors of the file store's audit: at most one Merkle root a day over the heads of its hash chains. Anyone
/// who keeps an event and its proof can show that the event was there on that day, and that nothing before it changed.
/// @dev Leaves are those of OpenZeppelin's standard tree, `keccak256(keccak256(abi.encode(tag, sequence, head)))`:
/// - `tag` (bytes32) HMAC-SHA-256 of the chain's owner under a key of the operator, so that the tree names nobody
/// - `sequence` (uint64) events in the chain
/// - `head` (bytes32) hash of its last event
interface IAudits {
    /// @notice A day's root was anchored by an operator.
    /// @param day Days since 1970-01-01 UTC.
    /// @param chains Leaves of the tree.
    /// @param events Events of all chains together.
    event AuditRootAnchored(uint32 indexed day, bytes32 root, uint64 chains, uint64 events);

    /// @notice The root of the day is zero.
    error EmptyAuditRoot(uint32 day);
    /// @notice A root was anchored for that day, or for a later one.
    error AuditDayNotLater(uint32 day, uint32 latestDay);
    /// @notice The day is later than that of the block.
    error AuditDayInFuture(uint32 day, uint32 today);

    /// @notice Anchors a day's root.
    /// @dev Emits `AuditRootAnchored`. Requirements:
    /// - the caller is an operator
    /// - the root is not zero
    /// - the day is later than every day anchored before, and not later than the block's
    function anchorRoot(uint32 day, bytes32 root, uint64 chains, uint64 events) external;

    /// @notice The root of a day; zero when none was anchored.
    function rootOf(uint32 day) external view returns (bytes32 root);

    /// @notice The last day with a root; 0 before the first.
    function latestDay() external view returns (uint32 day);
}
