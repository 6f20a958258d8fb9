// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title WalletMock
/// @notice A contract account for tests: its owner's signatures are its own (ERC-1271).
contract WalletMock is IERC1271 {
    enum Mode {
        Honest,
        Refuses,
        Reverts
    }

    address public owner;
    Mode public mode;

    error SignatureRefused();

    constructor(address owner_) {
        owner = owner_;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4) {
        require(mode != Mode.Reverts, SignatureRefused());
        (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecover(hash, signature);
        bool holds = mode == Mode.Honest && failure == ECDSA.RecoverError.NoError && signer == owner;
        return holds ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
