// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title Roles
/// @notice Role numbers in the access manager that `Participants` is.
/// @dev The council is the manager's own `ADMIN_ROLE` and belongs to the timelock alone.
library Roles {
    /// @notice Changes parameters, grants roles, unpauses; only through the timelock.
    uint64 internal constant COUNCIL = 0;
    /// @notice Pauses, lowers caps, cancels queued actions; can never loosen anything.
    uint64 internal constant GUARDIAN = 1;
    /// @notice The regulator: certificates, suppliers, issuers, products.
    uint64 internal constant REGISTRAR = 2;
    /// @notice The API's relayer: registers households, issues, redeems, files verified claims.
    uint64 internal constant OPERATOR = 3;
    /// @notice Flags, holds, approves, rejects and adjudicates.
    uint64 internal constant EVALUATOR = 4;
    /// @notice The voucher ledger, which says what every redemption must know.
    uint64 internal constant LEDGER = 5;
    /// @notice The ITMO contract, which takes lots of CARBON for conversions.
    uint64 internal constant CONVERTER = 6;
}
