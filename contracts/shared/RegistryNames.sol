// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @notice Names of carbon registries: one registry has one name, however it is spelled.
library RegistryNames {
    /// @dev Difference between a small and a capital letter in ASCII.
    uint8 private constant TO_LOWER = 0x20;

    /// @notice What all spellings of a name share: the hash of its letters, in lower case, and its digits.
    /// @return key Zero when the name has neither, or a character that is not printable ASCII: a letter of another
    /// script can look like one of ours.
    function keyOf(string calldata name) internal pure returns (bytes32 key) {
        bytes memory letters = bytes(name);
        uint256 count = 0;
        for (uint256 i = 0; i < letters.length; ++i) {
            bytes1 letter = letters[i];
            if (letter < " " || letter > "~") return bytes32(0);
            if (letter >= "A" && letter <= "Z") letter = bytes1(uint8(letter) + TO_LOWER);
            bool isKept = (letter >= "a" && letter <= "z") || (letter >= "0" && letter <= "9");
            if (isKept) letters[count++] = letter;
        }
        if (count == 0) return bytes32(0);
        bytes memory kept = new bytes(count);
        for (uint256 i = 0; i < count; ++i) kept[i] = letters[i];
        return keccak256(kept);
    }
}
