// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title SerialRanges
/// @notice Ranges of serial numbers, disjoint within each registry.
/// @dev The ranges of a registry are a list sorted by first serial. A new range is disjoint from all others when it
/// lies between its two neighbours, so that finding the place (by a hint) and two comparisons are the whole proof.
/// A range is never taken out: a serial is given once.
library SerialRanges {
    /// @dev One slot. `next` is the range after this one in its registry's list.
    struct Range {
        uint64 firstId;
        uint64 lastId;
        uint32 registry;
        uint32 next;
    }

    /// @dev Ranges are named by indexes of the caller's, which are not 0.
    struct Store {
        uint32 registryCount;
        mapping(bytes32 registryHash => uint32 registry) registries;
        mapping(uint32 registry => uint32 index) heads;
        mapping(uint32 index => Range range) ranges;
    }

    /// @notice How far a list is walked from a hint.
    uint256 internal constant MAX_WALK = 64;

    /// @notice The place is more than `MAX_WALK` ranges after the hint.
    error PredecessorTooFar(uint32 predecessor);

    /// @notice Puts a range into its registry's list, unless it overlaps another.
    /// @param predecessor Index of a range before it; a useless hint has the same effect as none.
    /// @return met Index of the range that it overlaps; 0 when it was put in.
    function insert(
        Store storage store,
        bytes32 registryHash,
        uint32 index,
        uint64 firstId,
        uint64 lastId,
        uint32 predecessor
    ) internal returns (uint32 met) {
        uint32 registry = _open(store, registryHash);
        (uint32 previous, uint32 next) = _neighbours(store, registry, firstId, predecessor);
        if (previous != 0 && store.ranges[previous].lastId >= firstId) return previous;
        if (next != 0 && store.ranges[next].firstId <= lastId) return next;
        store.ranges[index] = Range({firstId: firstId, lastId: lastId, registry: registry, next: next});
        if (previous == 0) store.heads[registry] = index;
        else store.ranges[previous].next = index;
    }

    /// @notice The range of a registry with the greatest first serial not above the given one, 0 if none.
    function predecessorOf(
        Store storage store,
        bytes32 registryHash,
        uint64 firstId
    ) internal view returns (uint32 predecessor) {
        uint32 next = store.heads[store.registries[registryHash]];
        while (next != 0 && store.ranges[next].firstId <= firstId) {
            predecessor = next;
            next = store.ranges[next].next;
        }
    }

    function _open(Store storage store, bytes32 registryHash) private returns (uint32 registry) {
        registry = store.registries[registryHash];
        if (registry == 0) {
            registry = ++store.registryCount;
            store.registries[registryHash] = registry;
        }
    }

    function _neighbours(
        Store storage store,
        uint32 registry,
        uint64 firstId,
        uint32 predecessor
    ) private view returns (uint32 previous, uint32 next) {
        Range storage hint = store.ranges[predecessor];
        if (hint.registry == registry && hint.firstId <= firstId) previous = predecessor;
        next = previous == 0 ? store.heads[registry] : store.ranges[previous].next;
        for (uint256 steps = 0; next != 0 && store.ranges[next].firstId <= firstId; ++steps) {
            require(steps < MAX_WALK, PredecessorTooFar(predecessor));
            previous = next;
            next = store.ranges[next].next;
        }
    }
}
