// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title WalletMock
/// @notice A contract account for tests: its owner's signatures are its own (ERC-1271).
contract WalletMock is IERC1271 {
    /// @dev Burns: all the gas that it is given. Bloats: a no of 32 kB. Shortens: a yes that is cut off. Needs: a no, unless
    /// it is given `NEEDED_GAS`.
    enum Mode {
        Honest,
        Refuses,
        Reverts,
        Burns,
        Bloats,
        Shortens,
        Needs
    }

    /// @notice A little less than what a wallet is given that is asked with all the gas that `Consents` has for it.
    uint256 public constant NEEDED_GAS = 140_000;

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
        if (mode == Mode.Needs) return gasleft() < NEEDED_GAS ? bytes4(0xffffffff) : IERC1271.isValidSignature.selector;
        require(mode != Mode.Reverts, SignatureRefused());
        if (mode > Mode.Reverts) _misbehave();
        (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecover(hash, signature);
        bool holds = mode == Mode.Honest && failure == ECDSA.RecoverError.NoError && signer == owner;
        return holds ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _misbehave() private view {
        if (mode == Mode.Burns) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        (bytes4 answer, uint256 length) = mode == Mode.Bloats
            ? (bytes4(0), 32_768)
            : (IERC1271.isValidSignature.selector, 4);
        // Nothing runs after it.
        assembly {
            mstore(0, answer)
            return(0, length)
        }
    }
}
