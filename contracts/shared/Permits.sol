// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";

/// @title Permits
/// @notice Allowances by ERC-2612, sent together with the call that needs them.
library Permits {
    /// @notice Gives this contract an allowance, when the permit still can. One that fails is ignored: somebody may have
    /// sent it before, and the allowance decides.
    /// @param amount Units of the token.
    /// @param deadline Seconds since 1970.
    /// @param v 0: there is no permit, the allowance was given before.
    function tryPermit(
        IERC20 token,
        address owner,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) internal {
        if (v == 0) return;
        try IERC20Permit(address(token)).permit(owner, address(this), amount, deadline, v, r, s) {
            return;
        } catch {
            return;
        }
    }
}
