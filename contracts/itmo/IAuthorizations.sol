// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IItmo} from "./IItmo.sol";

/// @title IAuthorizations
/// @notice Checks the terms of new approaches and authorizations, knows which authorizations the regulator has reduced or
/// revoked, and counts how many tonnes of each were first transferred.
/// @dev
/// SCOPE. A reduction leaves fewer purposes, or fewer tonnes whose first transfer is authorized; a revocation leaves none.
/// Units that were first transferred before keep all purposes of the registration. So no unit is ever first transferred
/// under an authorization that was taken away.
///
/// DELAY. From the announcement on, nothing is converted under the authorization, and nothing is done with its units that
/// were not first transferred. It is final from the second midnight (UTC) after it. Until then the guardian can veto it, which
/// restores what was left before. An earlier reduction stays in force. Afterwards nobody can take it back: a Party that authorizes again registers another authorization.
///
/// The quantity that an authorization leaves for conversions is still changed by `IItmo.setAuthorizedQuantity`, never above what
/// a reduction left.
interface IAuthorizations {
    /// @param purpose Purposes left; None when it is revoked.
    /// @param quantity Tonnes in total whose first transfer is authorized. Those that were first transferred count.
    /// @param finalFrom First day on which it cannot be vetoed, days since 1970-01-01 UTC; 0 when nothing was taken away.
    /// @param firstTransferred Tonnes that were first transferred.
    struct Reduction {
        IItmo.Purpose purpose;
        uint64 quantity;
        uint24 finalFrom;
        uint64 firstTransferred;
    }

    /// @notice The regulator announced a reduction, or a revocation (purpose None), see `Reduction`.
    event AuthorizationReduced(
        uint32 indexed authorization,
        IItmo.Purpose purpose,
        uint64 quantity,
        uint24 finalFrom,
        string reason
    );
    /// @notice The guardian vetoed the last reduction or revocation. The event has what is left again. `finalFrom` is 0 when that is
    /// everything, otherwise the day of the veto: the earlier reduction is final.
    event ReductionVetoed(
        uint32 indexed authorization,
        IItmo.Purpose purpose,
        uint64 quantity,
        uint24 finalFrom,
        string reason
    );

    /// @notice The caller is not the ITMO contract.
    error OnlyItmo(address caller);
    /// @notice The authorization is revoked.
    error AuthorizationRevoked(uint32 authorization);
    /// @notice A reduction or revocation was announced and can still be vetoed. Nothing moves until `finalFrom`.
    error ReductionPending(uint32 authorization, uint24 finalFrom);
    /// @notice The tonnes in total are more than a reduction left.
    error QuantityReduced(uint32 authorization, uint64 quantity, uint64 left);
    /// @notice A reduction must leave purposes that were authorized, no more tonnes than were, and fewer of one of them.
    error NotReduced(uint32 authorization, IItmo.Purpose purpose, uint64 quantity);
    /// @notice More tonnes were first transferred. They stay authorized.
    error QuantityFirstTransferred(uint32 authorization, uint64 quantity, uint64 firstTransferred);
    /// @notice Nothing can be vetoed: nothing was taken away, or it is final.
    error ReductionFinal(uint32 authorization, uint24 finalFrom);

    /// @notice Reduces an authorization for units that were not first transferred. Registrar.
    /// @param purpose Purposes left.
    /// @param quantity Tonnes left, in total; at least what was first transferred.
    function reduce(uint32 authorization, IItmo.Purpose purpose, uint64 quantity, string calldata reason) external;
    /// @notice Revokes an authorization for units that were not first transferred. Registrar.
    function revoke(uint32 authorization, string calldata reason) external;
    /// @notice Vetoes the last reduction or revocation, while it is not final. What was left before it is restored. Guardian.
    function veto(uint32 authorization, string calldata reason) external;

    /// @notice Records the entities of a new authorization. Reverts with one of `IItmo`'s errors unless its terms fit together.
    /// ITMO contract.
    function register(uint32 authorization, IItmo.NewAuthorization calldata registration) external;
    /// @notice Reverts with one of `IItmo`'s errors unless the ids of a cooperative approach are spelled as they must be, and its
    /// years are in order.
    function requireApproach(IItmo.NewApproach calldata registration) external pure;
    /// @notice Counts a first transfer, tonnes, within what is left. ITMO contract.
    function countFirstTransfer(uint32 authorization, uint64 quantity) external;

    /// @notice Whether an authorization names an entity.
    /// @param entityHash keccak-256 of the entity's id.
    function isAuthorizedEntity(uint32 authorization, bytes32 entityHash) external view returns (bool);
    /// @notice Whether an implementer may convert under an authorization: one of its entities' implementers, or anyone when
    /// none of its entities has one.
    function mayConvert(uint32 authorization, uint32 implementer) external view returns (bool);
    /// @notice Reverts unless an order's implementer may convert its vintage under its authorization now.
    /// @param firstYear First year of the authorized timeframe; 0 with `lastYear` 0 for any.
    /// @param quantity Tonnes requested in total, with those of the order.
    function requireConvertible(
        IItmo.ConversionOrder calldata order,
        uint16 firstYear,
        uint16 lastYear,
        uint64 quantity
    ) external view;
    /// @notice What is left of an authorization; only `firstTransferred` is set when nothing was taken away.
    function reductionOf(uint32 authorization) external view returns (Reduction memory);
    /// @notice The purposes that units of an authorization which were not first transferred have. Reverts when a reduction is
    /// pending, when the authorization is revoked, and when a reduction left fewer tonnes in total than `quantity`.
    /// @param purpose Those of the registration.
    function purposeOf(
        uint32 authorization,
        IItmo.Purpose purpose,
        uint64 quantity
    ) external view returns (IItmo.Purpose);
}
