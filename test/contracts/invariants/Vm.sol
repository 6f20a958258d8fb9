// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title Vm
/// @notice The cheat codes that the Solidity tests use.
interface Vm {
    function addr(uint256 key) external pure returns (address);
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function getNonce(address account) external view returns (uint64);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function readFile(string calldata path) external view returns (string memory);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 time) external;
    function roll(uint256 blockNumber) external;
    function etch(address target, bytes calldata code) external;
    function prevrandao(bytes32 value) external;
    function assume(bool condition) external pure;
    function snapshotState() external returns (uint256 snapshot);
    function revertToStateAndDelete(uint256 snapshot) external returns (bool success);
    function record() external;
    function accesses(address target) external returns (bytes32[] memory read, bytes32[] memory written);
    function load(address target, bytes32 slot) external view returns (bytes32);
    function envOr(string calldata name, uint256 otherwise) external view returns (uint256);
}

/// @title ISafe
/// @notice What the tests call of the packaged Safe and its factory.
interface ISafe {
    function createProxyWithNonce(address singleton, bytes memory initializer, uint256 salt) external returns (address);
    function setup(
        address[] calldata owners,
        uint256 threshold,
        address to,
        bytes calldata data,
        address fallbackHandler,
        address paymentToken,
        uint256 payment,
        address payable paymentReceiver
    ) external;
    function nonce() external view returns (uint256);
    function getTransactionHash(
        address to,
        uint256 value,
        bytes calldata data,
        uint8 operation,
        uint256 safeTxGas,
        uint256 baseGas,
        uint256 gasPrice,
        address gasToken,
        address refundReceiver,
        uint256 nonce
    ) external view returns (bytes32);
    function execTransaction(
        address to,
        uint256 value,
        bytes calldata data,
        uint8 operation,
        uint256 safeTxGas,
        uint256 baseGas,
        uint256 gasPrice,
        address gasToken,
        address payable refundReceiver,
        bytes memory signatures
    ) external payable returns (bool);
}

/// @title Cheats
/// @notice Base of the Solidity tests.
abstract contract Cheats {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @notice Brings a fuzzed number into a range, both ends included.
    function bound(uint256 x, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + (x % (high - low + 1));
    }
}
