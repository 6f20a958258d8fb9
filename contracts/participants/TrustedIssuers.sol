// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Roles} from "../shared/Roles.sol";
import {IParticipants} from "./IParticipants.sol";
import {SchemeRoles} from "./SchemeRoles.sol";

/// @title TrustedIssuers
/// @notice Whose credentials count, of which types, and when.
/// @dev
/// DATES. When a credential was issued is its issuer's own statement, and a stolen key states what it likes. So a
/// credential counts only while the issuer is trusted, and only if it says that it was issued in the present period.
///
/// PERIODS. An issuer has one period at a time, with its own list of types. While it runs it can be changed and types
/// can be added. Once it is over, because the registrar ended it or by itself, nothing brings it back: trusting again starts
/// another period, now at the earliest, for the types given then.
abstract contract TrustedIssuers is SchemeRoles {
    /// @dev One slot.
    /// @param period Number of the issuer's period, from 1; 0 when it was never trusted.
    /// @param validFrom First second of trust, 0 for open.
    /// @param validUntil Last second of trust, 0 for open.
    /// @param earliest No later change may have the period begin before this second.
    struct Trust {
        uint32 period;
        uint64 validFrom;
        uint64 validUntil;
        uint64 earliest;
    }

    mapping(bytes32 issuerHash => Trust) private _trusts;
    /// @dev The last period that a type was trusted in.
    mapping(bytes32 issuerHash => mapping(bytes32 typeHash => uint32 period)) private _trustedTypes;

    /// @inheritdoc IParticipants
    function trustIssuer(
        string calldata did,
        string[] calldata credentialTypes,
        uint64 validFrom,
        uint64 validUntil
    ) external onlyRole(Roles.REGISTRAR) {
        require(bytes(did).length != 0, EmptyId());
        bytes32 issuerHash = keccak256(bytes(did));
        Trust memory trust = _trusts[issuerHash];
        if (trust.period == 0) {
            trust.period = 1;
        } else if (_isOver(trust)) {
            ++trust.period;
            trust.earliest = uint64(block.timestamp);
        }
        if (validFrom < trust.earliest) validFrom = trust.earliest;
        require(validUntil == 0 || validFrom <= validUntil, InvalidTrustPeriod(validFrom, validUntil));
        (trust.validFrom, trust.validUntil) = (validFrom, validUntil);
        _trusts[issuerHash] = trust;
        for (uint256 i = 0; i < credentialTypes.length; ++i) {
            _trustedTypes[issuerHash][keccak256(bytes(credentialTypes[i]))] = trust.period;
        }
        emit IssuerTrusted(issuerHash, did, credentialTypes, validFrom, validUntil);
    }

    /// @inheritdoc IParticipants
    function endIssuerTrust(string calldata did) external onlyRole(Roles.REGISTRAR) {
        bytes32 issuerHash = keccak256(bytes(did));
        Trust storage trust = _trusts[issuerHash];
        require(trust.period != 0, UnknownIssuer(issuerHash));
        // The period's last second is trusted, so trust that ends now ended a second ago.
        uint64 last = uint64(block.timestamp) - 1;
        // An earlier end stands: ending trust must never lengthen it.
        if (trust.validUntil == 0 || last < trust.validUntil) trust.validUntil = last;
        emit IssuerTrustEnded(issuerHash, did, trust.validUntil);
    }

    /// @inheritdoc IParticipants
    function isTrusted(bytes32 issuerHash, bytes32 typeHash, uint64 time) external view returns (bool) {
        Trust memory trust = _trusts[issuerHash];
        if (trust.period == 0 || _trustedTypes[issuerHash][typeHash] != trust.period) return false;
        return _covers(trust, time) && _covers(trust, uint64(block.timestamp));
    }

    function _covers(Trust memory trust, uint64 time) private pure returns (bool) {
        return trust.validFrom <= time && (trust.validUntil == 0 || time <= trust.validUntil);
    }

    function _isOver(Trust memory trust) private view returns (bool) {
        return trust.validUntil != 0 && trust.validUntil < block.timestamp;
    }
}
