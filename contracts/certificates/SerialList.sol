// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "./ICertificates.sol";

/// @title SerialList
/// @notice The serial ranges of certificates, disjoint within each registry.
/// @dev The ranges of a registry are a list sorted by first serial. A new range is disjoint from all others when it
/// lies between its two neighbours, so that finding the place (by a hint) and two comparisons are the whole proof.
/// A revoked certificate keeps its range.
abstract contract SerialList is ICertificates {
    /// @notice How far the list of serials is walked from a hint.
    uint256 private constant MAX_WALK = 64;

    /// @dev One slot. `next` is the certificate after this one in its registry's list.
    struct Range {
        uint64 firstSerial;
        uint64 lastSerial;
        uint32 registry;
        uint32 next;
    }

    uint32 private _registryCount;
    mapping(bytes32 registryHash => uint32 registry) private _registries;
    mapping(uint32 registry => uint32 certificate) private _heads;
    mapping(uint32 certificate => Range) internal _ranges;

    /// @inheritdoc ICertificates
    function serialPredecessor(string calldata registry, uint64 serial) external view returns (uint32 predecessor) {
        uint32 next = _heads[_registries[keccak256(bytes(registry))]];
        while (next != 0 && _ranges[next].firstSerial <= serial) {
            predecessor = next;
            next = _ranges[next].next;
        }
    }

    /// @dev Puts the certificate's range into its registry's list; reverts when it meets another.
    function _insertRange(uint32 certificate, Registration calldata registration) internal {
        uint32 registry = _openRegistry(registration.registry);
        (uint32 previous, uint32 next) = _neighbours(registry, registration);
        if (previous != 0)
            _requireDisjoint(registration, previous, _ranges[previous].lastSerial < registration.firstSerial);
        if (next != 0) _requireDisjoint(registration, next, registration.lastSerial < _ranges[next].firstSerial);
        _ranges[certificate] = Range({
            firstSerial: registration.firstSerial,
            lastSerial: registration.lastSerial,
            registry: registry,
            next: next
        });
        if (previous == 0) _heads[registry] = certificate;
        else _ranges[previous].next = certificate;
    }

    function _openRegistry(string calldata name) private returns (uint32 registry) {
        bytes32 registryHash = keccak256(bytes(name));
        registry = _registries[registryHash];
        if (registry == 0) {
            registry = ++_registryCount;
            _registries[registryHash] = registry;
        }
    }

    /// @dev The range's place in its registry's list. A hint that is no use is as good as none.
    function _neighbours(
        uint32 registry,
        Registration calldata registration
    ) private view returns (uint32 previous, uint32 next) {
        uint64 serial = registration.firstSerial;
        Range storage hint = _ranges[registration.predecessor];
        if (hint.registry == registry && hint.firstSerial <= serial) previous = registration.predecessor;
        next = previous == 0 ? _heads[registry] : _ranges[previous].next;
        for (uint256 steps = 0; next != 0 && _ranges[next].firstSerial <= serial; ++steps) {
            require(steps < MAX_WALK, PredecessorTooFar(registration.predecessor));
            previous = next;
            next = _ranges[next].next;
        }
    }

    function _requireDisjoint(Registration calldata registration, uint32 neighbour, bool disjoint) private pure {
        require(
            disjoint,
            SerialsOverlap(registration.registry, registration.firstSerial, registration.lastSerial, neighbour)
        );
    }
}
