// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

interface IVault {
    /// @notice Planted.
    function pull(uint256 amount) external returns (bool);
    /// @notice Planted.
    function look() external view returns (uint256);
}

/// @title Planted
/// @notice Defects that the analysis must report: each line that ends in "finding: rule", and no other.
// prettier-ignore
contract Planted is ReentrancyGuardTransient {
    struct Account {
        uint256 balance;
        uint256[] moves;
    }

    /// @notice Planted.
    IVault public vault;
    /// @notice Planted.
    IERC20 public token;
    /// @notice Planted.
    address public owner;
    /// @notice Planted.
    uint256 public total;
    /// @notice Planted.
    address[] public members;
    mapping(address who => Account account) private _accounts;
    mapping(uint256 one => uint256 next) private _next;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    /// @notice Planted.
    function setVault(IVault vault_) external { // finding: open-to-anyone
        vault = vault_;
    }

    /// @notice Planted.
    function setOwner(address owner_) external onlyOwner {
        owner = owner_;
    }

    /// @notice Planted.
    function announce() external { // finding: open-to-anyone
        ++total;
        emit Announced(msg.sender);
    }

    event Announced(address by); // finding: undocumented

    /// @notice Planted.
    function withdraw(uint256 amount) external { // finding: effect-after-call
        require(_accounts[msg.sender].balance >= amount, "too much");
        require(vault.pull(amount), "refused");
        _accounts[msg.sender].balance -= amount;
    }

    /// @notice Planted.
    function withdrawGuarded(uint256 amount) external nonReentrant {
        require(_accounts[msg.sender].balance >= amount, "too much");
        require(vault.pull(amount), "refused");
        _accounts[msg.sender].balance -= amount;
    }

    /// @notice Planted.
    function withdrawInOrder(uint256 amount) external {
        _accounts[msg.sender].balance -= amount;
        require(vault.pull(amount), "refused");
    }

    /// @notice Planted.
    function withdrawByHelpers(uint256 amount) external { // finding: effect-after-call
        require(msg.sender == owner, "not the owner");
        _pull(amount);
        _note(amount);
    }

    /// @notice Planted.
    function withdrawEach(uint256[] calldata amounts) external onlyOwner { // finding: effect-after-call
        for (uint256 i = 0; i < amounts.length; ++i) {
            total -= amounts[i];
            require(vault.pull(amounts[i]), "refused");
        }
    }

    /// @notice Planted.
    function withdrawOrNote(uint256 amount) external onlyOwner {
        if (amount > 10) require(vault.pull(amount), "refused");
        else total -= amount;
    }

    /// @notice Planted.
    function readAndNote() external onlyOwner {
        uint256 seen = vault.look();
        total = seen;
    }

    /// @notice Planted.
    function drop(uint256 amount) external onlyOwner {
        token.transfer(owner, amount); // finding: unchecked-return
        vault.pull(amount); // finding: unchecked-return
    }

    /// @notice Planted.
    function poke(address payable target) external onlyOwner {
        target.call(""); // finding: unchecked-return
    }

    /// @notice Planted.
    function lend(address library_, bytes calldata data) external onlyOwner {
        (bool success, ) = library_.delegatecall(data); // finding: delegatecall
        require(success, "failed");
    }

    /// @notice Planted.
    function isOrigin() external view returns (bool) {
        return tx.origin == owner; // finding: tx-origin
    }

    /// @notice Planted.
    function isNow(uint256 time) external view returns (bool) {
        return block.timestamp == time; // finding: timestamp-equality
    }

    /// @notice Planted.
    function isDay(uint256 day) external view returns (bool) {
        return block.timestamp / 1 days == day;
    }

    /// @notice Planted.
    function sum() external view returns (uint256 result) {
        for (uint256 i = 0; i < members.length; ++i) result += _accounts[members[i]].balance; // finding: unbounded-loop
    }

    /// @notice Planted.
    function last(uint256 one) external view returns (uint256) {
        while (_next[one] != 0) one = _next[one]; // finding: unbounded-loop
        return one;
    }

    /// @notice Planted.
    function dice() external view returns (uint256) {
        return block.prevrandao % 6; // finding: block-randomness
    }

    /// @notice Planted.
    function idOf(string calldata one, string calldata other) external pure returns (bytes32) {
        return keccak256(abi.encodePacked(one, other)); // finding: packed-collision
    }

    /// @notice Planted.
    function signerOf(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external pure returns (address) {
        return ecrecover(hash, v, r, s); // finding: bare-ecrecover
    }

    /// @notice Planted.
    function scribble() external pure {
        assembly { // finding: unsafe-assembly
            mstore(0x80, 1)
        }
    }

    /// @notice Planted.
    function give() external payable {} // finding: locked-ether

    /// @notice Planted.
    function end(address payable to) external onlyOwner {
        selfdestruct(to); // finding: selfdestruct
    }

    function _pull(uint256 amount) private {
        try vault.pull(amount) returns (bool) {
            return;
        } catch {
            return;
        }
    }

    function _note(uint256 amount) private {
        _accounts[msg.sender].moves.push(amount);
    }
}
