// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title ICarbon
/// @notice CARBON: 6 decimals, 1 CARBON = 1 kg CO2e of verified reduction. ERC-20 with permit (ERC-2612) and burning
/// of the caller's tokens. Only the voucher ledger mints, and only what it issues against a certificate.
interface ICarbon is IERC20 {
    /// @notice The caller is not the voucher ledger.
    error OnlyVouchers(address caller);

    /// @notice Mints into the ledger's escrow. Voucher ledger only.
    function mint(uint256 amount) external;

    /// @notice Burns the caller's own tokens.
    function burn(uint256 amount) external;

    /// @notice Decimals of an amount: 6.
    function decimals() external view returns (uint8);
}
