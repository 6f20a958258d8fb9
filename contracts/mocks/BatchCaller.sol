// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title BatchCaller
/// @notice Makes several calls in one transaction, for tests of what one transaction can gain.
contract BatchCaller {
    struct Call {
        address target;
        bytes data;
    }

    error CallFailed(uint256 index, bytes reason);

    function run(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; ++i) {
            // solhint-disable-next-line avoid-low-level-calls
            (bool success, bytes memory reason) = calls[i].target.call(calls[i].data);
            require(success, CallFailed(i, reason));
        }
    }
}
