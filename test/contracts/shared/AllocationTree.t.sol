// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {AllocationTree} from "../../../contracts/shared/AllocationTree.sol";

/// @notice Compares the tree with one that is built level by level.
contract AllocationTreeTest {
    struct Leaf {
        uint32 household;
        uint64 amount;
    }

    error Failed(string what, uint256 count, uint256 position);

    function testFuzzEveryLeafHoldsAtItsPlaceAlone(
        uint256 seed,
        uint16 size,
        uint16 place,
        uint16 other
    ) external view {
        uint256 count = 1 + (uint256(size) % 256);
        uint256 position = uint256(place) % count;
        Leaf[] memory leaves = _leaves(seed, count);
        bytes32 root = AllocationTree.rootOf(_hashes(leaves));
        (bytes32 plain, bytes32[] memory proof) = _plainTree(_hashes(leaves), position);
        require(root == plain, Failed("root", count, position));

        Leaf memory leaf = leaves[position];
        require(this.holds(root, count, position, leaf, proof), Failed("holds", count, position));
        if (other != position) require(!this.holds(root, count, other, leaf, proof), Failed("place", count, other));
        require(
            !this.holds(root, count, position, Leaf(leaf.household, leaf.amount ^ 1), proof),
            Failed("amount", count, position)
        );
        require(
            !this.holds(root, count, position, Leaf(leaf.household ^ 1, leaf.amount), proof),
            Failed("household", count, position)
        );
    }

    function testFuzzAlteredProofHoldsNothing(uint256 seed, uint16 size, uint256 flip, uint8 level) external view {
        uint256 count = 2 + (uint256(size) % 255);
        Leaf[] memory leaves = _leaves(seed, count);
        (bytes32 root, bytes32[] memory proof) = _plainTree(_hashes(leaves), 0);
        proof[level % proof.length] ^= bytes32(flip | 1);
        require(!this.holds(root, count, 0, leaves[0], proof), Failed("altered", count, level));
        bytes32[] memory longer = new bytes32[](proof.length + 1);
        require(!this.holds(root, count, 0, leaves[0], longer), Failed("longer", count, level));
    }

    function testFuzzReadsPackedLeaves(uint32 household, uint64 amount, uint8 before) external view {
        bytes memory packed = new bytes(uint256(before) * 12);
        packed = abi.encodePacked(packed, household, amount, bytes12(type(uint96).max));
        (uint256 readHousehold, uint256 readAmount) = this.leafAt(packed, before);
        require(readHousehold == household && readAmount == amount, Failed("leafAt", before, 0));
        bytes32 hash = keccak256(abi.encodePacked(household, amount));
        require(AllocationTree.hashLeaf(household, amount) == hash, Failed("hashLeaf", 0, 0));
    }

    function testFuzzHashesPackedLeaves(uint256 seed, uint16 size, uint32 previous, uint16 zeroed) external view {
        Leaf[] memory leaves = _leaves(seed, uint256(size) % 257);
        previous %= 20;
        if (zeroed < leaves.length) leaves[zeroed].amount = 0;
        bool ordered = leaves.length == 0 || previous == 0;
        (bytes32[] memory hashes, uint256 last, uint256 total, bool valid) = this.hashLeaves(_pack(leaves), previous);
        bytes32[] memory plain = _hashes(leaves);
        require(hashes.length == plain.length, Failed("count", leaves.length, hashes.length));
        uint256 sum = 0;
        for (uint256 i = 0; i < plain.length; ++i) {
            require(hashes[i] == plain[i], Failed("hash", i, 0));
            sum += leaves[i].amount;
        }
        require(total == sum, Failed("total", total, sum));
        require(last == (plain.length == 0 ? previous : leaves[plain.length - 1].household), Failed("last", last, 0));
        require(valid == (ordered && zeroed >= leaves.length), Failed("valid", previous, zeroed));
    }

    function testLeavesMustAscend() external view {
        Leaf[] memory leaves = new Leaf[](3);
        (leaves[0], leaves[1], leaves[2]) = (Leaf(5, 1), Leaf(6, 1), Leaf(6, 1));
        (, , , bool valid) = this.hashLeaves(_pack(leaves), 4);
        require(!valid, Failed("repeated", 0, 0));
        leaves[2].household = 7;
        (, , , valid) = this.hashLeaves(_pack(leaves), 4);
        require(valid, Failed("ascending", 0, 0));
        (, , , valid) = this.hashLeaves(_pack(leaves), 5);
        require(!valid, Failed("previous", 0, 0));
    }

    function testFuzzDepthIsTheLogarithm(uint16 size, uint8 guess) external pure {
        uint256 count = 1 + uint256(size);
        uint256 levels = 0;
        while (2 ** levels < count) ++levels;
        require(AllocationTree.isDepth(count, levels), Failed("depth", count, levels));
        require(AllocationTree.isDepth(count, guess) == (guess == levels), Failed("depth", count, guess));
    }

    function testNothingHasTheZeroRoot() external pure {
        require(AllocationTree.rootOf(new bytes32[](0)) == 0, Failed("empty", 0, 0));
    }

    function holds(
        bytes32 root,
        uint256 count,
        uint256 position,
        Leaf calldata leaf,
        bytes32[] calldata proof
    ) external pure returns (bool) {
        return AllocationTree.holds(root, count, position, leaf.household, leaf.amount, proof);
    }

    function leafAt(bytes calldata leaves, uint256 i) external pure returns (uint256, uint256) {
        return AllocationTree.leafAt(leaves, i);
    }

    function hashLeaves(
        bytes calldata leaves,
        uint256 previous
    ) external pure returns (bytes32[] memory, uint256, uint256, bool) {
        return AllocationTree.hashLeaves(leaves, previous);
    }

    function _pack(Leaf[] memory leaves) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < leaves.length; ++i) {
            packed = abi.encodePacked(packed, leaves[i].household, leaves[i].amount);
        }
    }

    function _leaves(uint256 seed, uint256 count) private pure returns (Leaf[] memory leaves) {
        leaves = new Leaf[](count);
        for (uint256 i = 0; i < count; ++i) {
            leaves[i] = Leaf(uint32(i * 7 + 1), uint64(uint256(keccak256(abi.encode(seed, i)))));
        }
    }

    function _hashes(Leaf[] memory leaves) private pure returns (bytes32[] memory hashes) {
        hashes = new bytes32[](leaves.length);
        for (uint256 i = 0; i < leaves.length; ++i) {
            hashes[i] = keccak256(abi.encodePacked(leaves[i].household, leaves[i].amount));
        }
    }

    function _plainTree(
        bytes32[] memory level,
        uint256 position
    ) private pure returns (bytes32 root, bytes32[] memory proof) {
        bytes32 filling = 0;
        while (level.length > 1) {
            bytes32[] memory even = new bytes32[](level.length + (level.length % 2));
            for (uint256 i = 0; i < even.length; ++i) even[i] = i < level.length ? level[i] : filling;
            proof = _append(proof, even[position ^ 1]);
            level = new bytes32[](even.length / 2);
            for (uint256 i = 0; i < level.length; ++i) {
                level[i] = keccak256(abi.encodePacked(even[2 * i], even[2 * i + 1]));
            }
            filling = keccak256(abi.encodePacked(filling, filling));
            position /= 2;
        }
        root = level[0];
    }

    function _append(bytes32[] memory list, bytes32 item) private pure returns (bytes32[] memory longer) {
        longer = new bytes32[](list.length + 1);
        for (uint256 i = 0; i < list.length; ++i) longer[i] = list[i];
        longer[list.length] = item;
    }
}
