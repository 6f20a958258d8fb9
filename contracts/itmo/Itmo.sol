// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Permits} from "../shared/Permits.sol";
import {Roles} from "../shared/Roles.sol";
import {SerialRanges} from "../shared/SerialRanges.sol";
import {Codes} from "./Codes.sol";
import {IAuthorizations} from "./IAuthorizations.sol";
import {IInvalidationBuffer} from "./IInvalidationBuffer.sol";
import {IItmo} from "./IItmo.sol";
import {ItmoBlocks} from "./ItmoBlocks.sol";
import {ItmoRegistry} from "./ItmoRegistry.sol";

/// @title Itmo
/// @notice Conversion of CARBON into ITMOs; see `IItmo`.
/// @dev CARBON leaves the escrow in two ways only: it is burned for what is minted, or it goes back to its
/// implementer's current account. The contract burns what it holds, so that CARBON grants it nothing. Of other contracts it calls only
/// CARBON, Participants, Certificates, Authorizations and the invalidation buffer, which call nobody back that changes anything.
contract Itmo is ItmoBlocks, EIP712 {
    using SafeERC20 for ICarbon;
    using SerialRanges for SerialRanges.Store;

    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "ConversionOrder(uint32 implementer,uint64 amount,uint32 authorization,uint16 vintage,uint256 nonce,uint64 deadline)"
    );
    /// @notice Micro-CARBON of one ITMO, a tonne.
    uint64 public constant TONNE = 1_000_000_000;
    /// @notice Seconds after which a request that nobody has answered may be taken back. Those under a cap of zero do not count.
    uint256 public constant RECLAIM_AFTER = 90 days;

    /// @notice The CARBON token.
    ICarbon public immutable CARBON;
    /// @notice Has the implementers' debts and the certificates' lots.
    ICertificates public immutable CERTIFICATES;

    /// @inheritdoc IItmo
    uint32 public conversionCount;
    /// @inheritdoc IItmo
    uint256 public escrowed;
    /// @inheritdoc IItmo
    mapping(uint32 implementer => mapping(uint256 nonce => uint32 conversion)) public orderUsed;

    /// @dev Seconds in which nothing could be finalised, before the request.
    mapping(uint32 conversion => uint40 stopped) private _stoppedBefore;

    constructor(
        IParticipants participants,
        ICarbon carbon,
        ICertificates certificates,
        IAuthorizations authorizations,
        IInvalidationBuffer buffer,
        uint64 initialDailyCap
    ) ItmoRegistry(participants, authorizations, buffer, initialDailyCap) EIP712("Hearth ITMO", "1") {
        CARBON = carbon;
        CERTIFICATES = certificates;
    }

    // Request

    /// @inheritdoc IItmo
    function requestConversion(ConversionOrder calldata order) external returns (uint32 conversion) {
        address account = _accountOf(order.implementer);
        require(account == msg.sender, NotImplementer(msg.sender, order.implementer));
        conversion = _request(order, account, 0);
    }

    /// @inheritdoc IItmo
    function requestConversionFor(
        ConversionOrder calldata order,
        uint256 nonce,
        uint64 deadline,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (uint32 conversion) {
        address account = _accountOf(order.implementer);
        require(account != address(0), NotImplementer(account, order.implementer));
        require(block.timestamp <= deadline, OrderExpired(deadline));
        // By implementer, not by account: a signature may hold for its next wallet too. The signature says what the nonce
        // stands for, so the id is known before the CARBON moves.
        _useNonce(order.implementer, account, nonce, conversionCount + 1);
        bytes32 digest = _digestOf(order, nonce, deadline);
        bool isSigned = SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
        require(isSigned, SignatureInvalid(account));
        Permits.tryPermit(CARBON, account, order.amount, deadline, permit.v, permit.r, permit.s);
        conversion = _request(order, account, nonce);
    }

    /// @inheritdoc IItmo
    function cancelOrder(uint32 implementer, uint256 nonce) external {
        require(_accountOf(implementer) == msg.sender, NotImplementer(msg.sender, implementer));
        _useNonce(implementer, msg.sender, nonce, type(uint32).max);
        emit OrderCancelled(implementer, nonce);
    }

    // Answer

    /// @inheritdoc IItmo
    function finalise(
        uint32 conversion,
        bytes5 registryId,
        uint64 firstId,
        uint64 lastId,
        uint32 predecessor
    ) external onlyRole(Roles.REGISTRAR) returns (uint96 blockId) {
        Conversion storage record = _requireRequested(conversion);
        CERTIFICATES.requireConvertible(conversion, record.implementer);
        uint64 quantity = record.quantity;
        require(Codes.isRegistry(registryId), CodeInvalid(registryId));
        require(firstId != 0 && firstId <= lastId, SerialsInvalid(firstId, lastId));
        require(lastId - firstId == quantity - 1, SerialsNotQuantity(firstId, lastId, quantity));
        uint32 met = _serials.insert(bytes32(registryId), conversion, firstId, lastId, predecessor);
        require(met == 0, SerialsTaken(registryId, firstId, lastId, met));
        _move(quantity);
        record.status = ConversionStatus.Finalised;
        record.registryId = registryId;
        _authorizations[record.authorization].issued += quantity;
        uint64 amount = quantity * TONNE;
        escrowed -= amount;
        emit ConversionFinalised(conversion, amount);
        blockId = _mint(conversion, firstId, lastId);
        CARBON.burn(amount);
    }

    /// @inheritdoc IItmo
    function revertConversion(uint32 conversion, string calldata reason) external onlyRole(Roles.REGISTRAR) {
        Conversion storage record = _requireRequested(conversion);
        address account = _accountOf(record.implementer);
        require(account != address(0), ImplementerSuspended(record.implementer));
        _giveBack(conversion, record, account, reason);
    }

    /// @inheritdoc IItmo
    function reclaim(uint32 conversion) external {
        Conversion storage record = _requireRequested(conversion);
        address account = _accountOf(record.implementer);
        require(msg.sender == account, NotImplementer(msg.sender, record.implementer));
        uint256 from = reclaimableFrom(conversion);
        require(block.timestamp >= from, TooEarlyToReclaim(conversion, from));
        _giveBack(conversion, record, account, "");
    }

    // Views

    /// @inheritdoc IItmo
    function conversionOf(uint32 conversion) external view returns (Conversion memory) {
        return _conversions[conversion];
    }

    /// @inheritdoc IItmo
    function reclaimableFrom(uint32 conversion) public view returns (uint256) {
        return _conversions[conversion].requestedAt + RECLAIM_AFTER + _stopped() - _stoppedBefore[conversion];
    }

    /// @inheritdoc IItmo
    function serialPredecessor(bytes5 registryId, uint64 firstId) external view returns (uint32) {
        return _serials.predecessorOf(bytes32(registryId), firstId);
    }

    // Internals

    function _request(
        ConversionOrder calldata order,
        address account,
        uint256 nonce
    ) private returns (uint32 conversion) {
        uint64 amount = order.amount;
        uint64 quantity = amount / TONNE;
        require(quantity != 0 && amount % TONNE == 0, AmountNotWholeTonnes(amount));
        _commit(order, quantity);
        conversion = ++conversionCount;
        _conversions[conversion] = Conversion({
            implementer: order.implementer,
            authorization: order.authorization,
            vintage: order.vintage,
            status: ConversionStatus.Requested,
            requestedAt: uint40(block.timestamp),
            quantity: quantity,
            account: account,
            registryId: 0
        });
        uint40 stopped = _stopped();
        if (stopped != 0) _stoppedBefore[conversion] = stopped;
        escrowed += amount;
        emit ConversionRequested(
            conversion,
            order.implementer,
            order.authorization,
            account,
            amount,
            quantity,
            order.vintage,
            nonce
        );
        CERTIFICATES.takeLots(conversion, order.vintage, amount);
        CARBON.safeTransferFrom(account, address(this), amount);
    }

    /// @dev Reserves the quantity, so that what was requested can always be finalised.
    function _commit(ConversionOrder calldata order, uint64 quantity) private {
        uint32 authorization = order.authorization;
        Authorization storage terms = _requireAuthorization(authorization);
        uint64 left = terms.quantity - terms.committed;
        require(quantity <= left, QuantityNotAuthorized(authorization, quantity, left));
        terms.committed += quantity;
        AUTHORIZATIONS.requireConvertible(order, terms.firstYear, terms.lastYear, terms.committed);
    }

    function _useNonce(uint32 implementer, address account, uint256 nonce, uint32 conversion) private {
        uint32 earlier = orderUsed[implementer][nonce];
        require(earlier == 0, OrderUsed(account, nonce, earlier));
        orderUsed[implementer][nonce] = conversion;
    }

    /// @param account The current one, never the one that asked: it may have been stolen and replaced since.
    function _giveBack(uint32 conversion, Conversion storage record, address account, string memory reason) private {
        uint64 amount = record.quantity * TONNE;
        record.status = ConversionStatus.Reverted;
        _authorizations[record.authorization].committed -= record.quantity;
        escrowed -= amount;
        emit ConversionReverted(conversion, msg.sender, amount, reason);
        CERTIFICATES.returnLots(conversion);
        CARBON.safeTransfer(account, amount);
    }

    /// @dev The account that may act for an implementer now; zero while it is suspended.
    function _accountOf(uint32 implementer) private view returns (address) {
        return PARTICIPANTS.implementerAccount(implementer);
    }

    function _requireRequested(uint32 conversion) private view returns (Conversion storage record) {
        record = _conversions[conversion];
        ConversionStatus status = record.status;
        require(status != ConversionStatus.None, UnknownConversion(conversion));
        require(status == ConversionStatus.Requested, ConversionStatusNotAllowed(conversion, status));
    }

    function _digestOf(ConversionOrder calldata order, uint256 nonce, uint64 deadline) private view returns (bytes32) {
        return
            _hashTypedDataV4(
                keccak256(
                    abi.encode(
                        ORDER_TYPEHASH,
                        order.implementer,
                        order.amount,
                        order.authorization,
                        order.vintage,
                        nonce,
                        deadline
                    )
                )
            );
    }
}
