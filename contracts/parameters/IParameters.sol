// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IParameters
/// @notice Values that emission reductions are calculated with, such as the fraction of non-renewable biomass of a country.
/// The registrar records each with its source and validity, and campaigns refer to it by its number.
/// @dev
/// ENTRIES. An entry is never changed. A newer entry of the same kind and key supersedes the older one, which stays
/// readable: a campaign that refers to it keeps its value.
///
/// STORAGE. The chain keeps the hash of an entry; the entry itself is in its event.
interface IParameters {
    /// @param kind What the value is: `fnrb`, `ncv`, `ef-co2`, `ef-nonco2`, `registry` or `method`. Not checked.
    /// @param key What it is of: a country, a fuel, a registry, a method.
    /// @param value The value times ten to the power of `decimals`.
    /// @param decimals Number of decimals.
    /// @param unit Unit of the value; may be empty.
    /// @param source Publication or decision that gives the value.
    /// @param sourceHash SHA-256 of the source's document; zero for none.
    /// @param validFrom First day of validity, days since 1970-01-01 UTC.
    /// @param validTo Last day of validity; 0 for no end.
    struct Entry {
        string kind;
        string key;
        int256 value;
        uint8 decimals;
        string unit;
        string source;
        bytes32 sourceHash;
        uint32 validFrom;
        uint32 validTo;
    }

    /// @notice An entry was recorded.
    /// @param parameter Number of the entry, from 1.
    /// @param subject Hash of kind and key.
    /// @param superseded Number of the last entry of the same kind and key; 0 for none.
    event ParameterSet(uint32 indexed parameter, bytes32 indexed subject, uint32 superseded, Entry entry);

    /// @notice A text is empty where it must not be, or longer than its limit, bytes.
    error ParameterTextInvalid(uint256 length, uint256 limit);
    /// @notice The value has more decimals than the limit.
    error ParameterDecimalsInvalid(uint8 decimals, uint8 limit);
    /// @notice The last day of validity is before the first.
    error ParameterPeriodInvalid(uint32 validFrom, uint32 validTo);

    /// @notice Records an entry. Registrar.
    /// @dev Emits `ParameterSet`. Requirements:
    /// - the caller is a registrar
    /// - kind, key and source are not empty, and every text is within its limit
    /// - the value has at most `MAX_DECIMALS` decimals
    /// - the last day of validity is not before the first
    /// @return parameter Number of the entry.
    function set(Entry calldata entry) external returns (uint32 parameter);

    /// @notice Number of entries.
    function parameterCount() external view returns (uint32 count);
    /// @notice Hash of an entry, `keccak256(abi.encode(entry))`; zero when there is none.
    function hashOf(uint32 parameter) external view returns (bytes32 hash);
    /// @notice Number of the newest entry of a subject; 0 when there is none.
    function latestOf(bytes32 subject) external view returns (uint32 parameter);
    /// @notice Hash of a kind and a key.
    function subjectOf(string calldata kind, string calldata key) external pure returns (bytes32 subject);
}
