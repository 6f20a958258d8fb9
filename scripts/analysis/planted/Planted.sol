// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

interface IVault {
    function pull(uint256 amount) external returns (bool);
    function look() external view returns (uint256);
}

/// @title Planted
/// @notice Defects that the analysis must report: each line that ends in "finding: rule", and no other.
contract Planted is ReentrancyGuardTransient {
    struct Account {
        uint256 balance;
        uint256[] moves;
    }

    IVault public vault;
    IERC20 public token;
    address public owner;
    uint256 public total;
    address[] public members;
    mapping(address who => Account account) private _accounts;
    mapping(uint256 one => uint256 next) private _next;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function setVault(IVault vault_) external { // finding: open-to-anyone
        vault = vault_;
    }

    function setOwner(address owner_) external onlyOwner {
        owner = owner_;
    }

    function announce() external { // finding: open-to-anyone
        ++total;
        emit Announced(msg.sender);
    }

    event Announced(address by);

    function withdraw(uint256 amount) external { // finding: effect-after-call
        require(_accounts[msg.sender].balance >= amount, "too much");
        require(vault.pull(amount), "refused");
        _accounts[msg.sender].balance -= amount;
    }

    function withdrawGuarded(uint256 amount) external nonReentrant {
        require(_accounts[msg.sender].balance >= amount, "too much");
        require(vault.pull(amount), "refused");
        _accounts[msg.sender].balance -= amount;
    }

    function withdrawInOrder(uint256 amount) external {
        _accounts[msg.sender].balance -= amount;
        require(vault.pull(amount), "refused");
    }

    function withdrawByHelpers(uint256 amount) external { // finding: effect-after-call
        require(msg.sender == owner, "not the owner");
        _pull(amount);
        _note(amount);
    }

    function withdrawEach(uint256[] calldata amounts) external onlyOwner { // finding: effect-after-call
        for (uint256 i = 0; i < amounts.length; ++i) {
            total -= amounts[i];
            require(vault.pull(amounts[i]), "refused");
        }
    }

    function withdrawOrNote(uint256 amount) external onlyOwner {
        if (amount > 10) require(vault.pull(amount), "refused");
        else total -= amount;
    }

    function readAndNote() external onlyOwner {
        uint256 seen = vault.look();
        total = seen;
    }

    function drop(uint256 amount) external onlyOwner {
        token.transfer(owner, amount); // finding: unchecked-return
        vault.pull(amount); // finding: unchecked-return
    }

    function poke(address payable target) external onlyOwner {
        target.call(""); // finding: unchecked-return
    }

    function lend(address library_, bytes calldata data) external onlyOwner {
        (bool success, ) = library_.delegatecall(data); // finding: delegatecall
        require(success, "failed");
    }

    function isOrigin() external view returns (bool) {
        return tx.origin == owner; // finding: tx-origin
    }

    function isNow(uint256 time) external view returns (bool) {
        return block.timestamp == time; // finding: timestamp-equality
    }

    function isDay(uint256 day) external view returns (bool) {
        return block.timestamp / 1 days == day;
    }

    function sum() external view returns (uint256 result) {
        for (uint256 i = 0; i < members.length; ++i) result += _accounts[members[i]].balance; // finding: unbounded-loop
    }

    function last(uint256 one) external view returns (uint256) {
        while (_next[one] != 0) one = _next[one]; // finding: unbounded-loop
        return one;
    }

    function dice() external view returns (uint256) {
        return block.prevrandao % 6; // finding: block-randomness
    }

    function idOf(string calldata one, string calldata other) external pure returns (bytes32) {
        return keccak256(abi.encodePacked(one, other)); // finding: packed-collision
    }

    function signerOf(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external pure returns (address) {
        return ecrecover(hash, v, r, s); // finding: bare-ecrecover
    }

    function scribble() external pure {
        assembly { // finding: unsafe-assembly
            mstore(0x80, 1)
        }
    }

    function give() external payable {} // finding: locked-ether

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
