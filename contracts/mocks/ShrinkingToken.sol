// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title ShrinkingToken
/// @notice A token for tests whose sender can be charged on top of what it sends, and whose balances can be burned by
/// anyone. Anyone may mint.
contract ShrinkingToken is ERC20 {
    /// @notice What a sender is charged on top of each transfer.
    uint256 public surcharge;

    constructor() ERC20("Shrinking", "SHR") {}

    function setSurcharge(uint256 surcharge_) external {
        surcharge = surcharge_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function shrink(address from, uint256 amount) external {
        _burn(from, amount);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (surcharge != 0) _burn(msg.sender, surcharge);
        return super.transfer(to, amount);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
