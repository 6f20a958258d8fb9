// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IItmo
/// @notice Article 6.2: cooperative approaches, authorizations, conversion of CARBON into ITMOs, and their life until
/// they are used, cancelled or given to the Adaptation Fund.
/// @dev
/// UNITS. 1 ITMO = 1 t CO2e = 1000 CARBON. Quantities are whole tonnes, CARBON amounts micro-CARBON.
///
/// CODES are ASCII as the agreed electronic format has them: Parties ISO 3166 alpha-3 ("ZMB"), registries a Party and
/// two digits ("ZMB01"), cooperative approaches "CA" and four digits ("CA0001").
///
/// CONVERSION. An implementer's request puts CARBON into escrow and reserves its quantity of the authorization. Where the
/// authorization names the implementers of its entities, it is theirs alone. The
/// registrar finalises it with the registry's serial block: the CARBON is burned and the block minted. Or the CARBON
/// goes back to the implementer's current account: by the registrar at any time, by that account itself from
/// `reclaimableFrom` on. Nobody else is ever paid, and nobody while the implementer is suspended. Nothing is finalised
/// while the implementer owes CARBON for revoked certificates.
///
/// BLOCKS. A conversion's block is named by registry and serials, which no other conversion ever has. Its identity
/// (cooperative approach, registry, first transferring Party, serials, vintage) never changes. An action on a part
/// splits the block; every part keeps state, holder and first-transfer mark. A block's id is 96 bits: conversion (32)
/// then first serial (64).
///
/// LIFE. Held (by the first transferring Party, after a transfer by the acquiring one) → used towards an NDC, used for
/// an OIMP, cancelled, cancelled for OMGE, or share of proceeds; nothing leads back. Buffered → held or cancelled. The first transfer is marked once:
/// - authorized for OIMP with the definition Authorisation or Issuance: when the block is minted
/// - authorized for OIMP with the definition Use or cancellation: when it is used for an OIMP or cancelled
/// - authorized for NDC: when it is transferred to another Party, if no trigger above came first
/// - OMGE and share of proceeds: when they leave, whatever the authorization; both take part in the adjustment
///
/// Reductions and revocations of authorizations are in `IAuthorizations`. They never concern what was first transferred.
///
/// SHARES. An authorization may opt for OMGE and share of proceeds. Each is due of all that it has issued, rounded
/// down, and taken from the end of a block when it is minted (of 1000 with 2 % and 5 %: 930, then 20, then 50); what a
/// small block cannot give stays due.
///
/// BUFFER. The invalidation buffer may hold a part of what the shares leave (of 1000 with 2 %, 5 % and 10 %: 830, 100, 20 and 50).
/// Nothing is done with it until the buffer gives it back or cancels it; see `IInvalidationBuffer`.
///
/// The registrar records what the national registry does. What it can finalise, transfer, use and cancel in any 24
/// hours is capped in tonnes; the guardian lowers the cap (0 stops all of it), the council raises it.
///
/// Warning: names and ids of authorized entities are public for ever. They are legal persons; no natural person's data
/// belongs here.
interface IItmo {
    /// @notice What the mitigation outcomes are authorized for. OIMP: other international mitigation purposes, which
    /// are IMP (international mitigation purposes) and OP (other purposes).
    enum Purpose {
        None,
        Ndc,
        Oimp,
        Imp,
        Op,
        NdcAndOimp,
        NdcAndImp,
        NdcAndOp
    }

    /// @notice What is the first transfer of an outcome that is used for an OIMP.
    enum FirstTransferDefinition {
        None,
        Authorisation,
        Issuance,
        UseOrCancellation
    }

    enum ConversionStatus {
        None,
        Requested,
        Finalised,
        Reverted
    }

    enum BlockStatus {
        None,
        Held,
        UsedForNdc,
        UsedForOimp,
        Cancelled,
        Omge,
        ShareOfProceeds,
        Buffered
    }

    /// @dev An acquisition is the other side of a first transfer or transfer, seen by the acquiring Party.
    enum ActionType {
        FirstTransfer,
        Transfer,
        Use,
        Cancellation,
        VoluntaryCancellation
    }

    enum ActionSubtype {
        None,
        ToAnotherParty,
        Authorisation,
        Issuance,
        UseOrCancellation,
        VoluntaryToAdaptationFund,
        VoluntaryOmge,
        Other
    }

    enum Cancellation {
        Other,
        Voluntary,
        Omge
    }

    /// @param ndcFirstYear First year of the NDC implementation period; uses must name a year within it.
    struct NewApproach {
        bytes6 approachId;
        bytes3 firstTransferringParty;
        bytes3[] participatingParties;
        string[] sectors;
        string activityType;
        uint16 ndcFirstYear;
        uint16 ndcLastYear;
    }

    /// @param implementer Converts for the entity; 0 for none. An authorization whose entities have implementers is reserved
    /// for these.
    struct Entity {
        string name;
        bytes3 country;
        string entityId;
        uint32 implementer;
    }

    /// @param date Day of the authorization, days since 1970-01-01 UTC.
    /// @param quantity Tonnes.
    /// @param firstTransfer Set when, and only when, the purpose includes an OIMP.
    /// @param firstYear First vintage of the authorized timeframe; 0 with `lastYear` 0 for any.
    /// @param omgeShare Ten-thousandths.
    /// @param sopShare Ten-thousandths.
    /// @param terms Canonical JSON of what only reports need: conditions, GWP values, explanations.
    struct NewAuthorization {
        string authorizationId;
        uint32 approach;
        uint24 date;
        uint64 quantity;
        Purpose purpose;
        FirstTransferDefinition firstTransfer;
        uint16 firstYear;
        uint16 lastYear;
        uint16 omgeShare;
        uint16 sopShare;
        Entity[] entities;
        string terms;
    }

    struct Approach {
        bytes6 approachId;
        bytes3 firstTransferringParty;
        uint16 ndcFirstYear;
        uint16 ndcLastYear;
    }

    /// @param committed Tonnes requested and not reverted.
    /// @param issued Tonnes of them that were minted.
    /// @param omge Tonnes given to OMGE so far.
    /// @param sop Tonnes given to the share of proceeds so far.
    struct Authorization {
        uint32 approach;
        Purpose purpose;
        FirstTransferDefinition firstTransfer;
        uint16 firstYear;
        uint16 lastYear;
        uint16 omgeShare;
        uint16 sopShare;
        uint32 version;
        uint64 quantity;
        uint64 committed;
        uint64 issued;
        uint64 omge;
        uint64 sop;
        string authorizationId;
    }

    struct ConversionOrder {
        uint32 implementer;
        uint64 amount;
        uint32 authorization;
        uint16 vintage;
    }

    /// @notice An ERC-2612 permit of CARBON for the order's amount until the order's deadline. `v` 0: none, the
    /// allowance was given before.
    struct Permit {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @param account Where the CARBON came from.
    /// @param registryId Zero until finalised.
    struct Conversion {
        uint32 implementer;
        uint32 authorization;
        uint16 vintage;
        ConversionStatus status;
        uint40 requestedAt;
        uint64 quantity;
        address account;
        bytes5 registryId;
    }

    /// @param party Holds it, or held it when it was used or cancelled; zero for the share of proceeds.
    /// @param firstTransfer What triggered the first transfer, None before it.
    struct Block {
        uint32 conversion;
        uint32 authorization;
        bytes5 registryId;
        uint64 firstId;
        uint64 lastId;
        uint16 vintage;
        bytes3 party;
        BlockStatus status;
        ActionSubtype firstTransfer;
    }

    /// @notice Serials of a block, both ends included.
    struct Part {
        uint96 blockId;
        uint64 firstId;
        uint64 lastId;
    }

    /// @notice What identifies units in an action.
    struct Units {
        bytes6 approachId;
        string authorizationId;
        bytes3 firstTransferringParty;
        bytes5 registryId;
        uint64 firstId;
        uint64 lastId;
        uint16 vintage;
    }

    /// @notice Who did what to them. Zero and empty mean that it does not apply.
    /// @param purpose Imp, Op or Oimp: what an OIMP use was for.
    struct Movement {
        bytes3 transferringParty;
        bytes3 acquiringParty;
        bytes3 usingParty;
        string usingEntity;
        Purpose purpose;
        uint16 ndcYear;
        string note;
    }

    /// @notice The registrar registered a cooperative approach.
    event ApproachRegistered(uint32 indexed approach, bytes6 indexed approachId, NewApproach registration);
    /// @notice The registrar registered an authorization of a cooperative approach.
    event AuthorizationRegistered(uint32 indexed authorization, uint32 indexed approach, NewAuthorization registration);
    /// @notice An authorization has a new version with another quantity, tonnes.
    event AuthorizedQuantityChanged(uint32 indexed authorization, uint32 version, uint64 quantity, string reason);
    /// @notice An implementer's CARBON went into escrow. `amount` is micro-CARBON, `quantity` tonnes.
    /// @param nonce Of the order that was relayed; 0 when the implementer's account asked itself.
    event ConversionRequested(
        uint32 indexed conversion,
        uint32 indexed implementer,
        uint32 indexed authorization,
        address account,
        uint64 amount,
        uint64 quantity,
        uint16 vintage,
        uint256 nonce
    );
    /// @notice The CARBON is burned; BlockMinted follows.
    event ConversionFinalised(uint32 indexed conversion, uint64 amount);
    /// @notice An implementer cancelled the order with a nonce.
    event OrderCancelled(uint32 indexed implementer, uint256 nonce);
    /// @notice The CARBON went back to the implementer's current account, micro-CARBON.
    event ConversionReverted(uint32 indexed conversion, address indexed by, uint64 amount, string reason);
    /// @notice A conversion's serials became a block of ITMOs.
    event BlockMinted(uint96 indexed blockId, uint32 indexed conversion, uint32 indexed authorization, Units units);
    /// @notice The block now ends before the serial that `rest` begins with; `rest` ends where the block ended.
    event BlockSplit(uint96 indexed blockId, uint96 indexed rest);
    /// @notice The invalidation buffer holds the block.
    event BlockBuffered(uint96 indexed blockId);
    /// @notice The invalidation buffer gave the block back to the Party that holds it.
    event BlockReleased(uint96 indexed blockId);
    /// @notice One action of the agreed electronic format, on a whole block.
    event ItmoAction(
        uint96 indexed blockId,
        ActionType indexed action,
        ActionSubtype subtype,
        Units units,
        Movement movement
    );
    /// @notice What the registrar may move in any 24 hours, tonnes.
    event DailyCapChanged(uint64 cap);

    /// @notice A code is not spelled as the agreed electronic format has it.
    error CodeInvalid(bytes32 code);
    /// @notice A text is empty, too long, or has characters that it may not have.
    error TextInvalid(string text);
    /// @notice The first year is after the last.
    error YearsNotOrdered(uint16 firstYear, uint16 lastYear);
    /// @notice The cooperative approach is registered.
    error ApproachKnown(bytes6 approachId, uint32 approach);
    /// @notice No cooperative approach has that number.
    error UnknownApproach(uint32 approach);
    /// @notice The authorization is registered.
    error AuthorizationKnown(bytes32 idHash, uint32 authorization);
    /// @notice No authorization has that number.
    error UnknownAuthorization(uint32 authorization);
    /// @notice An authorization needs a purpose.
    error PurposeMissing();
    /// @notice A first transfer is defined when, and only when, the purpose includes an OIMP.
    error FirstTransferMismatch(Purpose purpose, FirstTransferDefinition firstTransfer);
    /// @notice The shares, in ten-thousandths, are more than the whole.
    error SharesTooLarge(uint16 omgeShare, uint16 sopShare);
    /// @notice The date is after that of the block, days since 1970-01-01 UTC.
    error DateInFuture(uint24 date, uint24 today);
    /// @notice The quantity is zero.
    error QuantityZero();
    /// @notice More than that is requested or minted, tonnes.
    error QuantityBelowCommitted(uint32 authorization, uint64 quantity, uint64 committed);
    /// @notice The amount, micro-CARBON, is nothing or not whole tonnes.
    error AmountNotWholeTonnes(uint64 amount);
    /// @notice The authorization leaves fewer tonnes.
    error QuantityNotAuthorized(uint32 authorization, uint64 quantity, uint64 left);
    /// @notice The vintage is outside the authorized timeframe.
    error VintageNotAuthorized(uint16 vintage, uint16 firstYear, uint16 lastYear);
    /// @notice The vintage is after the year of the block.
    error VintageInFuture(uint16 vintage, uint16 year);
    /// @notice The account is not that of the implementer.
    error NotImplementer(address account, uint32 implementer);
    /// @notice The order's deadline is over, seconds since 1970.
    error OrderExpired(uint64 deadline);
    /// @notice The order's nonce was used by that conversion, or cancelled (type(uint32).max).
    error OrderUsed(address account, uint256 nonce, uint32 conversion);
    /// @notice The account did not sign exactly this.
    error SignatureInvalid(address account);
    /// @notice No conversion has that number.
    error UnknownConversion(uint32 conversion);
    /// @notice The conversion was answered.
    error ConversionStatusNotAllowed(uint32 conversion, ConversionStatus status);
    /// @notice The implementer is suspended, so its CARBON waits: the account may have been stolen.
    error ImplementerSuspended(uint32 implementer);
    /// @notice The request can be taken back from that time on, seconds since 1970.
    error TooEarlyToReclaim(uint32 conversion, uint256 from);
    /// @notice The serials begin with 0 or are not ordered.
    error SerialsInvalid(uint64 firstId, uint64 lastId);
    /// @notice There are not as many serials as tonnes.
    error SerialsNotQuantity(uint64 firstId, uint64 lastId, uint64 quantity);
    /// @notice The serials overlap those of a conversion in the same registry.
    error SerialsTaken(bytes5 registryId, uint64 firstId, uint64 lastId, uint32 conversion);
    /// @notice No block has that id.
    error UnknownBlock(uint96 blockId);
    /// @notice The block was used, cancelled or given away, or the invalidation buffer holds it.
    error BlockNotHeld(uint96 blockId, BlockStatus status);
    /// @notice The serials are not a part of the block.
    error PartOutsideBlock(uint96 blockId, uint64 firstId, uint64 lastId);
    /// @notice The Party takes no part in the cooperative approach.
    error PartyNotParticipating(uint32 approach, bytes3 party);
    /// @notice The Party holds the block.
    error AlreadyHeldBy(uint96 blockId, bytes3 party);
    /// @notice The authorization does not include the purpose.
    error PurposeNotAuthorized(uint32 authorization, Purpose purpose);
    /// @notice The first transferring Party cannot use a block for its own NDC.
    error NotTransferred(uint96 blockId);
    /// @notice The year is outside the NDC's implementation period.
    error YearOutsideNdcPeriod(uint16 year, uint16 firstYear, uint16 lastYear);
    /// @notice The authorization does not name the entity.
    error EntityNotAuthorized(uint32 authorization, string entityId);
    /// @notice The authorization is reserved for the implementers of its entities.
    error ImplementerNotAuthorized(uint32 authorization, uint32 implementer);
    /// @notice The registrar has no room for the quantity in these 24 hours, tonnes.
    error DailyCapExceeded(uint64 moved, uint64 quantity, uint64 cap);
    /// @notice The caller is not the invalidation buffer.
    error OnlyBuffer(address caller);
    /// @notice The invalidation buffer does not hold the block.
    error BlockNotBuffered(uint96 blockId, BlockStatus status);
    /// @notice The guardian may only lower a cap.
    error CapNotLowered(uint64 current, uint64 cap);

    // Registry. Registrar.

    /// @notice The first transferring Party takes part without being named again.
    function registerApproach(NewApproach calldata registration) external returns (uint32 approach);
    /// @notice Registers an authorization. Registrar.
    function registerAuthorization(NewAuthorization calldata registration) external returns (uint32 authorization);
    /// @notice A new version of an authorization with another quantity, never below what is committed.
    function setAuthorizedQuantity(uint32 authorization, uint64 quantity, string calldata reason) external;

    // Conversion.

    /// @notice Requests by the implementer's own account, with CARBON that it approved before.
    function requestConversion(ConversionOrder calldata order) external returns (uint32 conversion);
    /// @notice Requests by the implementer's EIP-712 order (ERC-1271 too). Anyone relays it.
    /// @dev Type: ConversionOrder(uint32 implementer,uint64 amount,uint32 authorization,uint16 vintage,uint256 nonce,
    /// uint64 deadline); domain name "Hearth ITMO", version "1". A nonce settles once for each implementer, in any
    /// order, whatever account it has then.
    /// A permit that fails is ignored: it may have been used already, and the allowance decides.
    function requestConversionFor(
        ConversionOrder calldata order,
        uint256 nonce,
        uint64 deadline,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (uint32 conversion);
    /// @notice Cancels the order with a nonce, so that it never settles. The implementer's account.
    function cancelOrder(uint32 implementer, uint256 nonce) external;
    /// @notice Burns the CARBON and mints the registry's block. Registrar.
    /// @param predecessor A conversion whose block lies before in the registry, 0 for none. A hint: the contract walks
    /// on from it, at most 64 steps.
    /// @return blockId Of what is left after the shares of OMGE and proceeds.
    function finalise(
        uint32 conversion,
        bytes5 registryId,
        uint64 firstId,
        uint64 lastId,
        uint32 predecessor
    ) external returns (uint96 blockId);
    /// @notice Gives the CARBON back to the implementer's current account. Registrar.
    function revertConversion(uint32 conversion, string calldata reason) external;
    /// @notice Takes the CARBON back when nothing has happened until `reclaimableFrom`. The implementer's current account.
    function reclaim(uint32 conversion) external;

    // Life. Registrar.

    /// @notice Transfers a part of a block to another participating Party. Registrar.
    function transfer(
        Part calldata part,
        bytes3 acquiringParty,
        string calldata note
    ) external returns (uint96 blockId);
    /// @notice Use by the Party that holds it, which is not the first transferring one.
    function useForNdc(Part calldata part, uint16 ndcYear, string calldata note) external returns (uint96 blockId);
    /// @notice Uses a part of a block for another international mitigation purpose. Registrar.
    /// @param purpose Oimp, Imp or Op, within what is authorized.
    /// @param entityId An authorized entity, or empty when the holding Party uses it.
    function useForOimp(
        Part calldata part,
        Purpose purpose,
        string calldata entityId,
        string calldata note
    ) external returns (uint96 blockId);
    /// @notice Cancels a part of a block. Registrar.
    /// @param entityId An authorized entity, or empty when the holding Party cancels.
    function cancel(
        Part calldata part,
        Cancellation kind,
        string calldata entityId,
        string calldata note
    ) external returns (uint96 blockId);

    // Invalidation buffer only; see `IInvalidationBuffer`.

    /// @notice Gives a block that the buffer holds back to its Party.
    function releaseBuffered(uint96 blockId) external;
    /// @notice Cancels a block that the buffer holds, from a serial on. It is not a first transfer.
    function cancelBuffered(uint96 blockId, uint64 firstId) external;

    // Cap.

    /// @notice Tonnes in any 24 hours. Council.
    function setDailyCap(uint64 cap) external;
    /// @notice Guardian.
    function lowerDailyCap(uint64 cap) external;

    /// @notice The number of a cooperative approach by its id; 0 for none.
    function approachIndex(bytes6 approachId) external view returns (uint32);
    /// @notice The number of an authorization by the keccak-256 of its id; 0 for none.
    function authorizationIndex(bytes32 authorizationIdHash) external view returns (uint32);
    /// @notice A cooperative approach; all zero for none.
    function approachOf(uint32 approach) external view returns (Approach memory);
    /// @notice Whether a Party takes part in a cooperative approach.
    function participates(uint32 approach, bytes3 party) external view returns (bool);
    /// @notice An authorization and what was taken of it; all zero for none.
    function authorizationOf(uint32 authorization) external view returns (Authorization memory);
    /// @notice A conversion; all zero for none.
    function conversionOf(uint32 conversion) external view returns (Conversion memory);
    /// @notice Conversions that were ever requested; their numbers are 1 to this.
    function conversionCount() external view returns (uint32);
    /// @notice When a request may be taken back, seconds since 1970: `RECLAIM_AFTER` after it, and later by each second in
    /// which the cap was 0, so that nobody could finalise it. While the cap is 0 it moves on with the time.
    function reclaimableFrom(uint32 conversion) external view returns (uint256);
    /// @notice A block of ITMOs; all zero for none.
    function blockOf(uint96 blockId) external view returns (Block memory);
    /// @notice The conversion of a registry whose block begins last at or before a serial, 0 if none.
    function serialPredecessor(bytes5 registryId, uint64 firstId) external view returns (uint32);
    /// @notice The conversion that an implementer's order nonce settled, 0 if unused, type(uint32).max if cancelled.
    function orderUsed(uint32 implementer, uint256 nonce) external view returns (uint32);
    /// @notice Micro-CARBON of requests that are open.
    function escrowed() external view returns (uint256);
    /// @notice What the registrar may move in any 24 hours, tonnes.
    function dailyCap() external view returns (uint64);
    /// @notice Tonnes that the registrar has moved in the last 24 hours; it is kept by half days, so up to 36.
    function movedToday() external view returns (uint64);
}
