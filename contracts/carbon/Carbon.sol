// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ICarbon} from "./ICarbon.sol";

/// @title Carbon
/// @notice See `ICarbon`.
contract Carbon is ICarbon, ERC20Permit {
    /// @notice The only contract that mints.
    address public immutable VOUCHERS;

    /// @param vouchers The voucher ledger, by its predicted address when it is deployed later.
    constructor(address vouchers) ERC20("CARBON", "CARBON") ERC20Permit("CARBON") {
        VOUCHERS = vouchers;
    }

    /// @inheritdoc ICarbon
    function mint(uint256 amount) external {
        require(msg.sender == VOUCHERS, OnlyVouchers(msg.sender));
        _mint(msg.sender, amount);
    }

    /// @inheritdoc ICarbon
    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    /// @inheritdoc ICarbon
    function decimals() public pure override(ICarbon, ERC20) returns (uint8) {
        return 6;
    }
}
