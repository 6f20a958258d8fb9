// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title TestStablecoin
/// @notice tUSD: 6 decimals, minted at will by the faucet's owner. Embedded chain only, worth nothing.
contract TestStablecoin is ERC20Permit, Ownable {
    constructor(address faucet) ERC20("Test Dollar", "tUSD") ERC20Permit("Test Dollar") Ownable(faucet) {}

    /// @notice Mints to anybody. Faucet's owner.
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
