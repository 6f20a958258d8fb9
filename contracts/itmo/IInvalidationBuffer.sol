// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IInvalidationBuffer
/// @notice Holds a percentage of each conversion's ITMOs for a time, and cancels what belongs to revoked certificates.
/// @dev
/// HOLD. When a conversion is finalised, the buffer holds a share of its quantity, rounded up to whole tonnes and at most what
/// OMGE and share of proceeds leave. Nobody can transfer, use or cancel these units. They stay with the first transferring Party,
/// and keep their first-transfer mark.
///
/// CANCELLATION. When the revocation of a certificate whose lot the conversion took is final, anyone can have the buffer cancel
/// that lot's tonnes: rounded up, at most what is still held, and once for each lot. It is not a first transfer.
///
/// RELEASE. After the holding time anyone can have the rest given back. Tonnes of revoked certificates are cancelled first.
/// It waits while the revocation of a lot's certificate can be vetoed, and while a lot's certificate is suspended: for a
/// suspension at most `MAX_SUSPENSION` beyond the holding time.
///
/// TERMS. The council sets the share and the holding time, through the timelock and within `MAX_SHARE` and `MAX_HOLD_DAYS`. They
/// hold for conversions that are requested later. Nothing changes what is already requested or held. Both are 0 at first: nothing is held.
interface IInvalidationBuffer {
    /// @param share Ten-thousandths of a conversion's quantity.
    /// @param holdDays Days for which it is held, from finalising on; 0 when, and only when, the share is 0.
    struct Terms {
        uint16 share;
        uint16 holdDays;
    }

    /// @param firstId First serial of what is held, or was.
    /// @param held Tonnes that are still held.
    /// @param heldUntil End of the holding time, seconds since 1970; 0 when nothing was ever held.
    struct Hold {
        uint64 firstId;
        uint64 held;
        uint40 heldUntil;
    }

    /// @notice The council set the terms of conversions from a number on.
    event BufferTermsSet(uint16 share, uint16 holdDays, uint32 firstConversion);
    /// @notice The buffer holds these serials of a conversion.
    event UnitsBuffered(uint32 indexed conversion, uint64 firstId, uint64 lastId, uint40 heldUntil);
    /// @notice The buffer cancelled these serials because the certificate of one of the conversion's lots was revoked.
    event BufferedUnitsCancelled(uint32 indexed conversion, uint32 indexed certificate, uint64 firstId, uint64 lastId);
    /// @notice The buffer gave these serials back.
    event BufferedUnitsReleased(uint32 indexed conversion, uint64 firstId, uint64 lastId);

    /// @notice The caller is not the ITMO contract.
    error OnlyItmo(address caller);
    /// @notice The share or the holding time is more than the limit, or one of them alone is 0.
    error BufferTermsInvalid(uint16 share, uint16 holdDays);
    /// @notice The buffer holds nothing of the conversion.
    error NothingHeld(uint32 conversion);
    /// @notice No lot of the conversion has a finally revoked certificate whose tonnes were not cancelled.
    error NothingToCancel(uint32 conversion);
    /// @notice The holding time is not over, seconds since 1970.
    error StillHeld(uint32 conversion, uint40 heldUntil);
    /// @notice The certificate of a lot is suspended, or its revocation can still be vetoed.
    error LotInQuestion(uint32 conversion, uint32 certificate);

    /// @notice Sets the terms of conversions that are requested from now on. Council.
    function setTerms(uint16 share, uint16 holdDays) external;

    /// @notice Takes what the terms of a conversion ask for, from the end of its block. ITMO contract.
    /// @param blockId Of the whole conversion, as it is minted.
    /// @param quantity Tonnes of the conversion.
    /// @param lastId Last serial that OMGE and share of proceeds leave.
    /// @return held Tonnes taken, which end with that serial.
    function hold(uint96 blockId, uint64 quantity, uint64 lastId) external returns (uint64 held);

    /// @notice Cancels what is held for lots whose certificates are finally revoked. Anyone.
    /// @return cancelled Tonnes.
    function cancelRevoked(uint32 conversion) external returns (uint64 cancelled);
    /// @notice Gives back what is held after the holding time, see RELEASE. Anyone.
    /// @return released Tonnes.
    function release(uint32 conversion) external returns (uint64 released);

    /// @notice The terms of a conversion; of a number that was not given out yet, those of the next ones.
    function termsOf(uint32 conversion) external view returns (Terms memory);
    /// @notice What is held of a conversion; all zero when nothing ever was.
    function holdOf(uint32 conversion) external view returns (Hold memory);
}
