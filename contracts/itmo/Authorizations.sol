// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Calendar} from "../shared/Calendar.sol";
import {Roles} from "../shared/Roles.sol";
import {Codes} from "./Codes.sol";
import {IAuthorizations} from "./IAuthorizations.sol";
import {IItmo} from "./IItmo.sol";
import {Purposes} from "./Purposes.sol";

/// @title Authorizations
/// @notice See `IAuthorizations`.
contract Authorizations is IAuthorizations {
    using Purposes for IItmo.Purpose;

    /// @dev One slot.
    /// @param purpose Left; None when it is revoked.
    /// @param quantity Left.
    /// @param finalFrom 0 when nothing was taken away.
    /// @param purposeBefore Left by the reduction before; None when there was none.
    /// @param quantityBefore Left by the reduction before.
    struct Record {
        IItmo.Purpose purpose;
        uint64 quantity;
        uint24 finalFrom;
        uint64 firstTransferred;
        IItmo.Purpose purposeBefore;
        uint64 quantityBefore;
    }

    /// @notice Whole days in which the guardian can veto a reduction. The day of the reduction does not count.
    uint24 public constant VETO_DAYS = 1;

    /// @dev Ten-thousandths.
    uint16 private constant WHOLE_SHARE = 10_000;

    /// @notice Who takes part, and who may do what.
    IParticipants public immutable PARTICIPANTS;
    /// @notice The contract that has the authorizations and their units.
    IItmo public immutable ITMO;

    mapping(uint32 authorization => Record) private _records;
    /// @inheritdoc IAuthorizations
    mapping(uint32 authorization => mapping(bytes32 entityHash => bool)) public isAuthorizedEntity;
    /// @dev The implementers of an authorization's entities; 0 is among them when there are any.
    mapping(uint32 authorization => mapping(uint32 implementer => bool)) private _reservedFor;

    /// @param itmo The ITMO contract, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IItmo itmo) {
        PARTICIPANTS = participants;
        ITMO = itmo;
    }

    modifier onlyItmo() {
        require(msg.sender == address(ITMO), OnlyItmo(msg.sender));
        _;
    }

    /// @inheritdoc IAuthorizations
    function reduce(uint32 authorization, IItmo.Purpose purpose, uint64 quantity, string calldata reason) external {
        Record memory record = _open(authorization);
        bool isWithin = purpose.isWithin(record.purpose) && quantity <= record.quantity;
        bool isLess = purpose != record.purpose || quantity < record.quantity;
        require(isWithin && isLess, NotReduced(authorization, purpose, quantity));
        require(
            quantity >= record.firstTransferred,
            QuantityFirstTransferred(authorization, quantity, record.firstTransferred)
        );
        _announce(authorization, record, purpose, quantity, reason);
    }

    /// @inheritdoc IAuthorizations
    function revoke(uint32 authorization, string calldata reason) external {
        Record memory record = _open(authorization);
        _announce(authorization, record, IItmo.Purpose.None, record.firstTransferred, reason);
    }

    /// @inheritdoc IAuthorizations
    function veto(uint32 authorization, string calldata reason) external {
        PARTICIPANTS.requireRole(Roles.GUARDIAN, msg.sender);
        Record memory record = _records[authorization];
        require(_isPending(record), ReductionFinal(authorization, record.finalFrom));
        record.purpose = record.purposeBefore;
        record.quantity = record.quantityBefore;
        record.finalFrom = record.purposeBefore == IItmo.Purpose.None ? 0 : _today();
        (record.purposeBefore, record.quantityBefore) = (IItmo.Purpose.None, 0);
        _records[authorization] = record;
        emit ReductionVetoed(authorization, record.purpose, record.quantity, record.finalFrom, reason);
    }

    /// @inheritdoc IAuthorizations
    function register(uint32 authorization, IItmo.NewAuthorization calldata registration) external onlyItmo {
        _checkRegistration(registration);
        for (uint256 i = 0; i < registration.entities.length; ++i) {
            IItmo.Entity calldata entity = registration.entities[i];
            require(bytes(entity.entityId).length != 0, IItmo.TextInvalid(entity.entityId));
            _requireParty(entity.country);
            isAuthorizedEntity[authorization][keccak256(bytes(entity.entityId))] = true;
            if (entity.implementer != 0) {
                _reservedFor[authorization][0] = true;
                _reservedFor[authorization][entity.implementer] = true;
            }
        }
    }

    /// @inheritdoc IAuthorizations
    function countFirstTransfer(uint32 authorization, uint64 quantity) external onlyItmo {
        Record memory record = _records[authorization];
        record.firstTransferred += quantity;
        _requireLeft(authorization, record, record.firstTransferred);
        _records[authorization] = record;
    }

    /// @inheritdoc IAuthorizations
    function requireApproach(IItmo.NewApproach calldata registration) external pure {
        require(Codes.isApproach(registration.approachId), IItmo.CodeInvalid(registration.approachId));
        _requireParty(registration.firstTransferringParty);
        _requireOrdered(registration.ndcFirstYear, registration.ndcLastYear);
        for (uint256 i = 0; i < registration.participatingParties.length; ++i)
            _requireParty(registration.participatingParties[i]);
    }

    /// @inheritdoc IAuthorizations
    function reductionOf(uint32 authorization) external view returns (Reduction memory) {
        Record memory record = _records[authorization];
        return Reduction(record.purpose, record.quantity, record.finalFrom, record.firstTransferred);
    }

    /// @inheritdoc IAuthorizations
    function mayConvert(uint32 authorization, uint32 implementer) public view returns (bool) {
        return !_reservedFor[authorization][0] || _reservedFor[authorization][implementer];
    }

    /// @inheritdoc IAuthorizations
    function requireConvertible(
        IItmo.ConversionOrder calldata order,
        uint16 firstYear,
        uint16 lastYear,
        uint64 quantity
    ) external view {
        uint32 authorization = order.authorization;
        require(
            mayConvert(authorization, order.implementer),
            IItmo.ImplementerNotAuthorized(authorization, order.implementer)
        );
        uint16 vintage = order.vintage;
        require(
            lastYear == 0 || (vintage >= firstYear && vintage <= lastYear),
            IItmo.VintageNotAuthorized(vintage, firstYear, lastYear)
        );
        uint256 year = Calendar.yearOf(block.timestamp);
        require(vintage <= year, IItmo.VintageInFuture(vintage, uint16(year)));
        _requireLeft(authorization, _records[authorization], quantity);
    }

    /// @inheritdoc IAuthorizations
    function purposeOf(
        uint32 authorization,
        IItmo.Purpose purpose,
        uint64 quantity
    ) external view returns (IItmo.Purpose) {
        Record memory record = _records[authorization];
        _requireLeft(authorization, record, quantity);
        return record.finalFrom == 0 ? purpose : record.purpose;
    }

    /// @dev What is left of an authorization that the registrar can reduce now.
    function _open(uint32 authorization) private view returns (Record memory record) {
        PARTICIPANTS.requireRole(Roles.REGISTRAR, msg.sender);
        record = _records[authorization];
        _requireLeft(authorization, record, 0);
        if (record.finalFrom != 0) return record;
        IItmo.Authorization memory registered = ITMO.authorizationOf(authorization);
        require(registered.version != 0, IItmo.UnknownAuthorization(authorization));
        (record.purpose, record.quantity) = (registered.purpose, registered.quantity);
    }

    function _announce(
        uint32 authorization,
        Record memory record,
        IItmo.Purpose purpose,
        uint64 quantity,
        string calldata reason
    ) private {
        bool isFirst = record.finalFrom == 0;
        record.purposeBefore = isFirst ? IItmo.Purpose.None : record.purpose;
        record.quantityBefore = isFirst ? 0 : record.quantity;
        record.purpose = purpose;
        record.quantity = quantity;
        record.finalFrom = _today() + VETO_DAYS + 1;
        _records[authorization] = record;
        emit AuthorizationReduced(authorization, purpose, quantity, record.finalFrom, reason);
    }

    function _requireLeft(uint32 authorization, Record memory record, uint64 quantity) private view {
        if (record.finalFrom == 0) return;
        require(!_isPending(record), ReductionPending(authorization, record.finalFrom));
        require(record.purpose != IItmo.Purpose.None, AuthorizationRevoked(authorization));
        require(quantity <= record.quantity, QuantityReduced(authorization, quantity, record.quantity));
    }

    function _isPending(Record memory record) private view returns (bool) {
        return _today() < record.finalFrom;
    }

    function _today() private view returns (uint24) {
        return uint24(block.timestamp / 1 days);
    }

    function _checkRegistration(IItmo.NewAuthorization calldata registration) private view {
        string calldata id = registration.authorizationId;
        require(Codes.isAuthorizationId(id), IItmo.TextInvalid(id));
        uint24 today = _today();
        require(registration.date <= today, IItmo.DateInFuture(registration.date, today));
        require(registration.quantity != 0, IItmo.QuantityZero());
        require(registration.purpose != IItmo.Purpose.None, IItmo.PurposeMissing());
        bool isDefined = registration.firstTransfer != IItmo.FirstTransferDefinition.None;
        require(
            isDefined == registration.purpose.includesOimp(),
            IItmo.FirstTransferMismatch(registration.purpose, registration.firstTransfer)
        );
        _requireOrdered(registration.firstYear, registration.lastYear);
        // Cannot overflow: both have 16 bits.
        require(
            uint256(registration.omgeShare) + registration.sopShare <= WHOLE_SHARE,
            IItmo.SharesTooLarge(registration.omgeShare, registration.sopShare)
        );
    }

    function _requireParty(bytes3 party) private pure {
        require(Codes.isParty(party), IItmo.CodeInvalid(party));
    }

    function _requireOrdered(uint16 firstYear, uint16 lastYear) private pure {
        require(firstYear <= lastYear, IItmo.YearsNotOrdered(firstYear, lastYear));
    }
}
