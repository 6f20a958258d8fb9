// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title AllocationTree
/// @notice The Merkle tree over the leaves of a chunk; `ICertificates` specifies it.
/// @dev A leaf is hashed from 12 bytes and a node from 64, so neither passes for the other. A filling leaf is the zero
/// hash, which no leaf can have.
library AllocationTree {
    /// @notice Bytes of a leaf: household (4), amount (8).
    uint256 internal constant LEAF_BYTES = 12;
    /// @notice Leaves of a full chunk.
    uint256 internal constant CHUNK_LEAVES = 256;

    /// @notice Leaf `i` of packed leaves. The caller knows that it is there.
    function leafAt(bytes calldata leaves, uint256 i) internal pure returns (uint256 household, uint256 amount) {
        uint256 leaf;
        assembly ("memory-safe") {
            leaf := shr(160, calldataload(add(leaves.offset, mul(i, 12))))
        }
        household = leaf >> 64;
        amount = leaf & type(uint64).max;
    }

    /// @param household At most 32 bits.
    /// @param amount At most 64 bits.
    function hashLeaf(uint256 household, uint256 amount) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0, shl(160, or(shl(64, household), amount)))
            hash := keccak256(0, 12)
        }
    }

    function hashNode(bytes32 left, bytes32 right) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0, left)
            mstore(0x20, right)
            hash := keccak256(0, 0x40)
        }
    }

    /// @notice Hashes a chunk's packed leaves, at most `CHUNK_LEAVES`.
    /// @param previous The household before the first leaf.
    /// @return hashes One for each leaf.
    /// @return last The last leaf's household; `previous` when there is no leaf.
    /// @return total Sum of the amounts. Cannot overflow: at most 256 amounts of 64 bits.
    /// @return valid Whether households ascend from `previous` on and no amount is zero.
    function hashLeaves(
        bytes calldata leaves,
        uint256 previous
    ) internal pure returns (bytes32[] memory hashes, uint256 last, uint256 total, bool valid) {
        hashes = new bytes32[](leaves.length / LEAF_BYTES);
        last = previous;
        valid = true;
        // Two leaves a round, then one if their number is odd. A leaf's hash reads only the first 12 bytes of the word.
        assembly ("memory-safe") {
            let write := add(hashes, 0x20)
            let end := add(write, shl(5, mload(hashes)))
            let read := leaves.offset
            for {
                let pairsEnd := sub(end, 0x20)
            } lt(write, pairsEnd) {
                write := add(write, 0x40)
            } {
                let leaf := calldataload(read)
                mstore(0, leaf)
                mstore(write, keccak256(0, 12))
                let household := shr(224, leaf)
                let amount := and(shr(160, leaf), 0xffffffffffffffff)
                valid := and(valid, and(gt(household, last), gt(amount, 0)))
                total := add(total, amount)

                leaf := calldataload(add(read, 12))
                mstore(0, leaf)
                mstore(add(write, 0x20), keccak256(0, 12))
                last := shr(224, leaf)
                amount := and(shr(160, leaf), 0xffffffffffffffff)
                valid := and(valid, and(gt(last, household), gt(amount, 0)))
                total := add(total, amount)

                read := add(read, 24)
            }
            if lt(write, end) {
                let leaf := calldataload(read)
                mstore(0, leaf)
                mstore(write, keccak256(0, 12))
                let household := shr(224, leaf)
                let amount := and(shr(160, leaf), 0xffffffffffffffff)
                valid := and(valid, and(gt(household, last), gt(amount, 0)))
                total := add(total, amount)
                last := household
            }
        }
    }

    /// @notice Root over `hashes`, which is used up as working space; 0 when there is none.
    function rootOf(bytes32[] memory hashes) internal pure returns (bytes32 root) {
        uint256 count = hashes.length;
        if (count == 0) return 0;
        bytes32 filling = 0;
        // In place: a level is written over the one below it, never past what has been read.
        while (count > 1) {
            uint256 pairs = count / 2;
            assembly ("memory-safe") {
                let write := add(hashes, 0x20)
                let read := write
                let end := add(write, shl(5, pairs))
                // Four nodes a round, then the others.
                for {
                    let roundsEnd := sub(end, 0x60)
                } lt(write, roundsEnd) {
                    write := add(write, 0x80)
                    read := add(read, 0x100)
                } {
                    mstore(write, keccak256(read, 0x40))
                    mstore(add(write, 0x20), keccak256(add(read, 0x40), 0x40))
                    mstore(add(write, 0x40), keccak256(add(read, 0x80), 0x40))
                    mstore(add(write, 0x60), keccak256(add(read, 0xc0), 0x40))
                }
                for {} lt(write, end) {
                    write := add(write, 0x20)
                    read := add(read, 0x40)
                } {
                    mstore(write, keccak256(read, 0x40))
                }
            }
            if (count % 2 == 1) hashes[pairs] = hashNode(hashes[count - 1], filling);
            count = pairs + (count % 2);
            filling = hashNode(filling, filling);
        }
        return hashes[0];
    }

    /// @notice Whether a chunk of `count` leaves under `root` has this leaf at this position.
    function holds(
        bytes32 root,
        uint256 count,
        uint256 position,
        uint256 household,
        uint256 amount,
        bytes32[] calldata proof
    ) internal pure returns (bool) {
        // Positions beyond the leaves would alias others, because only the bits of the levels decide the path.
        if (position >= count || !isDepth(count, proof.length)) return false;
        bytes32 hash = hashLeaf(household, amount);
        // A set bit of the position puts the node on the right of its sibling, in the second word.
        assembly ("memory-safe") {
            let end := add(proof.offset, shl(5, proof.length))
            // Places its lowest bit where it says 0x20.
            position := shl(5, position)
            for {
                let sibling := proof.offset
            } lt(sibling, end) {
                sibling := add(sibling, 0x20)
            } {
                let side := and(position, 0x20)
                mstore(side, hash)
                mstore(xor(side, 0x20), calldataload(sibling))
                hash := keccak256(0, 0x40)
                position := shr(1, position)
            }
        }
        return hash == root;
    }

    /// @notice Whether a chunk of `count` leaves, at least one, has this many levels between leaf and root:
    /// ceil(log2 count).
    function isDepth(uint256 count, uint256 levels) internal pure returns (bool) {
        // As many as the last position has bits.
        uint256 last = count - 1;
        return last >> levels == 0 && (levels == 0 || last >> (levels - 1) != 0);
    }
}
