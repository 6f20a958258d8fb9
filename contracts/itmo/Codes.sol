// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title Codes
/// @notice The spelling of the agreed electronic format's ids.
library Codes {
    uint256 private constant MAX_ID_BYTES = 64;

    /// @notice Three capital letters.
    function isParty(bytes3 party) internal pure returns (bool) {
        return _isLetter(party[0]) && _isLetter(party[1]) && _isLetter(party[2]);
    }

    /// @notice A Party and two digits.
    function isRegistry(bytes5 registryId) internal pure returns (bool) {
        for (uint256 i = 0; i < 5; ++i) {
            bytes1 character = registryId[i];
            if (i < 3 ? !_isLetter(character) : !_isDigit(character)) return false;
        }
        return true;
    }

    /// @notice "CA" and four digits.
    function isApproach(bytes6 approachId) internal pure returns (bool) {
        if (bytes2(approachId) != "CA") return false;
        for (uint256 i = 2; i < 6; ++i) if (!_isDigit(approachId[i])) return false;
        return true;
    }

    /// @notice Letters, digits, spaces and hyphens, 1 to 64 of them.
    function isAuthorizationId(string memory id) internal pure returns (bool) {
        bytes memory text = bytes(id);
        if (text.length == 0 || text.length > MAX_ID_BYTES) return false;
        for (uint256 i = 0; i < text.length; ++i) {
            bytes1 character = text[i];
            bool lower = character >= "a" && character <= "z";
            bool plain = lower || _isLetter(character) || _isDigit(character);
            if (!plain && character != " " && character != "-") return false;
        }
        return true;
    }

    function _isLetter(bytes1 character) private pure returns (bool) {
        return character >= "A" && character <= "Z";
    }

    function _isDigit(bytes1 character) private pure returns (bool) {
        return character >= "0" && character <= "9";
    }
}
