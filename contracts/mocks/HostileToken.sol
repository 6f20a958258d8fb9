// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title HostileToken
/// @notice A token for tests that misbehaves on demand in the ways of tokens in the wild. Anyone may mint.
contract HostileToken is ERC20Permit {
    /// @dev Burns: reverts after burning all the gas that it is given.
    enum Mode {
        Honest,
        FeeOnTransfer,
        ReturnsFalse,
        Reverts,
        RevertsEmpty,
        Burns,
        Reenters
    }

    /// @notice Percent that FeeOnTransfer keeps.
    uint256 public constant FEE_PERCENT = 3;

    Mode public mode;
    address public target;
    bytes public call;
    /// @notice Whether the last re-entering call succeeded, and what it returned or reverted with.
    bool public reentered;
    bytes public result;

    error TransferRefused();

    constructor() ERC20("Hostile", "HST") ERC20Permit("Hostile") {}

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    /// @notice What Reenters calls in the middle of a transfer.
    function setReentry(address target_, bytes calldata call_) external {
        (mode, target, call) = (Mode.Reenters, target_, call_);
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return _misbehave() && super.transfer(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        return _misbehave() && super.transferFrom(from, to, amount);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 amount) internal override {
        uint256 fee = mode == Mode.FeeOnTransfer && from != address(0) ? (amount * FEE_PERCENT) / 100 : 0;
        if (fee != 0) super._update(from, address(0), fee);
        super._update(from, to, amount - fee);
    }

    /// @return proceed Whether the transfer continues.
    function _misbehave() private returns (bool proceed) {
        if (mode == Mode.ReturnsFalse) return false;
        require(mode != Mode.Reverts, TransferRefused());
        if (mode == Mode.RevertsEmpty) {
            assembly ("memory-safe") {
                revert(0, 0)
            }
        }
        if (mode == Mode.Burns) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        // One level deep: the mode is honest while the call runs.
        if (mode == Mode.Reenters) {
            mode = Mode.Honest;
            // solhint-disable-next-line avoid-low-level-calls
            (reentered, result) = target.call(call);
        }
        return true;
    }
}
