// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Carbon} from "../../../contracts/carbon/Carbon.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {Itmo} from "../../../contracts/itmo/Itmo.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @title ItmoHandler
/// @notice Fuzzed conversions and lives of blocks, of two implementers under four authorizations and in two registries.
/// @dev Remembers on its own what must hold; a broken property is kept in `violation`. It is the council and the ledger.
abstract contract ItmoHandler is Cheats {
    /// @dev A serial that was acted on, and what it must stay.
    struct Witness {
        uint32 conversion;
        uint64 serial;
        IItmo.BlockStatus status;
        IItmo.ActionSubtype mark;
        bytes3 party;
    }

    uint64 internal constant TONNE = 1e9;
    uint256 internal constant KEY = 3_000;
    uint64 internal constant FUNDS = 2_000;
    uint32 internal constant AUTHORIZATIONS = 4;

    Participants public participants;
    Carbon public carbon;
    Itmo public itmo;
    address internal registrar = address(0xA2);
    address internal guardian = address(0xA1);
    address internal stranger = address(0xA7);

    string public violation;
    uint256 public clock = 1_750_000_000;
    uint64 public quantityOf1 = 200;
    mapping(uint32 implementer => mapping(uint256 nonce => bool used)) public usedNonce;
    mapping(uint256 day => uint64 tonnes) public movedOn;
    mapping(bytes32 action => uint256 count) public done;
    /// @notice The first serial of what a conversion minted.
    mapping(uint32 conversion => uint64 serial) public firstOf;
    Witness[] internal _witnesses;

    modifier tracked(string memory action) {
        vm.warp(clock);
        _;
        ++done[keccak256(bytes(action))];
    }

    function violate(string memory what) internal {
        if (bytes(violation).length == 0) violation = what;
    }

    function deploy() internal {
        participants = new Participants(address(this));
        carbon = new Carbon(address(this));
        itmo = new Itmo(participants, carbon, 300);
        participants.grantRole(Roles.REGISTRAR, registrar, 0);
        participants.grantRole(Roles.GUARDIAN, guardian, 0);
        for (uint256 i = 1; i <= 2; ++i) {
            vm.prank(registrar);
            participants.registerImplementer(string(abi.encode(i)), vm.addr(KEY + i), "I");
            carbon.mint(FUNDS * TONNE);
            carbon.transfer(vm.addr(KEY + i), FUNDS * TONNE);
            vm.prank(vm.addr(KEY + i));
            carbon.approve(address(itmo), type(uint256).max);
        }
        registerTerms();
    }

    function registerTerms() private {
        IItmo.NewApproach memory approach;
        (approach.approachId, approach.firstTransferringParty) = ("CA0001", "ZMB");
        (approach.ndcFirstYear, approach.ndcLastYear) = (2021, 2030);
        approach.participatingParties = new bytes3[](1);
        approach.participatingParties[0] = "CHE";
        vm.prank(registrar);
        itmo.registerApproach(approach);
        authorize("A1", IItmo.Purpose.Ndc, IItmo.FirstTransferDefinition.None, 0, 0);
        authorize("A2", IItmo.Purpose.NdcAndOimp, IItmo.FirstTransferDefinition.UseOrCancellation, 200, 500);
        authorize("A3", IItmo.Purpose.Imp, IItmo.FirstTransferDefinition.Issuance, 3_000, 3_000);
        authorize("A4", IItmo.Purpose.Oimp, IItmo.FirstTransferDefinition.UseOrCancellation, 0, 500);
    }

    function authorize(
        string memory id,
        IItmo.Purpose purpose,
        IItmo.FirstTransferDefinition definition,
        uint16 omge,
        uint16 sop
    ) private {
        IItmo.NewAuthorization memory terms;
        (terms.authorizationId, terms.approach, terms.quantity) = (id, 1, quantityOf1);
        (terms.purpose, terms.firstTransfer) = (purpose, definition);
        (terms.omgeShare, terms.sopShare) = (omge, sop);
        vm.prank(registrar);
        itmo.registerAuthorization(terms);
    }

    // Conversion

    function request(uint256 seed, uint8 tonnes, uint8 authorization, bool odd) public tracked("request") {
        IItmo.ConversionOrder memory order = orderOf(seed, tonnes, authorization);
        if (odd) ++order.amount;
        vm.prank(vm.addr(KEY + order.implementer));
        itmo.requestConversion(order);
        if (odd) violate("I5: a request of a part of a tonne");
    }

    function requestBySignature(
        uint256 seed,
        uint8 tonnes,
        uint8 authorization,
        uint8 nonce,
        bool forged
    ) external tracked("request by signature") {
        IItmo.ConversionOrder memory order = orderOf(seed, tonnes, authorization);
        nonce %= 16;
        bytes memory signature = sign(order, nonce, forged ? KEY + 9 : KEY + order.implementer);
        IItmo.Permit memory none;
        vm.prank(stranger);
        itmo.requestConversionFor(order, nonce, type(uint64).max, signature, none);
        if (forged) violate("I7: a forged order went through");
        if (usedNonce[order.implementer][nonce]) violate("I7: a nonce settled twice");
        usedNonce[order.implementer][nonce] = true;
    }

    function finalise(uint256 seed, uint16 serial, uint8 registry, uint8 hint) public tracked("finalise") {
        uint32 conversion = pickConversion(seed);
        uint64 quantity = itmo.conversionOf(conversion).quantity;
        uint64 first = 1 + (serial % 600);
        vm.prank(registrar);
        uint96 blockId = itmo.finalise(conversion, registryOf(registry), first, first + quantity - 1, hint % 8);
        count(quantity);
        witness(blockId);
    }

    function revertConversion(uint256 seed) external tracked("revert") {
        uint32 conversion = pickConversion(seed);
        vm.prank(registrar);
        itmo.revertConversion(conversion, "");
    }

    /// @dev Nobody's CARBON is stuck: when the time has come, it comes back whatever else is the case.
    function reclaim(uint256 seed) external tracked("reclaim") {
        uint32 conversion = pickConversion(seed);
        IItmo.Conversion memory record = itmo.conversionOf(conversion);
        bool isDue = block.timestamp >= uint256(record.requestedAt) + 90 days;
        bool isOpen = record.status == IItmo.ConversionStatus.Requested;
        vm.prank(record.account);
        try itmo.reclaim(conversion) {
            if (!isDue || !isOpen) violate("I9: CARBON came back that was not due");
        } catch {
            if (isDue && isOpen) violate("I9: CARBON is stuck");
        }
    }

    // Life

    function act(uint256 seed, uint8 kind, uint64 from, uint64 length, uint8 variant) public tracked("act") {
        IItmo.Part memory part = pickPart(seed, from, length);
        bool wasHeld = itmo.blockOf(part.blockId).status == IItmo.BlockStatus.Held;
        uint96 blockId = send(part, kind, variant);
        if (!wasHeld) violate("I3: an action on a consumed block");
        count(part.lastId - part.firstId + 1);
        witness(blockId);
    }

    function send(IItmo.Part memory part, uint8 kind, uint8 variant) private returns (uint96) {
        vm.prank(registrar);
        if (kind % 8 < 4) return itmo.transfer(part, variant % 4 == 0 ? bytes3("ZMB") : bytes3("CHE"), "");
        if (kind % 8 == 4) return itmo.useForNdc(part, 2025, "");
        if (kind % 8 == 5) return itmo.useForOimp(part, IItmo.Purpose(variant % 8), "", "");
        return itmo.cancel(part, IItmo.Cancellation(variant % 3), "", "");
    }

    // Control

    function setQuantity(uint8 tonnes) external tracked("quantity") {
        vm.prank(registrar);
        itmo.setAuthorizedQuantity(1, tonnes, "");
        quantityOf1 = tonnes;
    }

    function setCap(uint16 cap, bool lower) external tracked("cap") {
        if (lower) {
            uint64 current = itmo.dailyCap();
            vm.prank(guardian);
            itmo.lowerDailyCap(cap);
            if (cap >= current) violate("I8: the guardian raised the cap");
        } else {
            itmo.setDailyCap(200 + (cap % 400));
        }
    }

    /// @dev Nobody but the one that it is for may do any of these.
    function intrude(uint256 seed, uint8 who, uint8 what) external tracked("intrude") {
        bytes memory data;
        IItmo.Part memory part = IItmo.Part((uint96(seed % 4) << 64) | 1, 1, 1);
        if (what % 8 == 0) data = abi.encodeCall(IItmo.finalise, (uint32(seed % 8), "ZMB01", 1, 1, 0));
        if (what % 8 == 1) data = abi.encodeCall(IItmo.revertConversion, (uint32(seed % 8), ""));
        if (what % 8 == 2) data = abi.encodeCall(IItmo.transfer, (part, "CHE", ""));
        if (what % 8 == 3) data = abi.encodeCall(IItmo.useForNdc, (part, 2025, ""));
        if (what % 8 == 4) data = abi.encodeCall(IItmo.useForOimp, (part, IItmo.Purpose.Imp, "", ""));
        if (what % 8 == 5) data = abi.encodeCall(IItmo.cancel, (part, IItmo.Cancellation.Other, "", ""));
        if (what % 8 == 6) data = abi.encodeCall(IItmo.setDailyCap, (type(uint64).max));
        if (what % 8 == 7) data = abi.encodeCall(IItmo.setAuthorizedQuantity, (1, type(uint64).max, ""));
        address intruder = [stranger, guardian, vm.addr(KEY + 1)][who % 3];
        vm.prank(intruder);
        (bool success, ) = address(itmo).call(data);
        if (success) violate("I7: an intruder's call went through");
    }

    function pass(uint32 seconds_, bool long) public {
        clock += long ? 80 days + (seconds_ % 20 days) : seconds_ % 2 days;
    }

    // What the actions share

    function orderOf(
        uint256 seed,
        uint8 tonnes,
        uint8 authorization
    ) private pure returns (IItmo.ConversionOrder memory) {
        uint32 implementer = 1 + uint32(seed % 2);
        return
            IItmo.ConversionOrder(implementer, (1 + (tonnes % 40)) * TONNE, 1 + (authorization % AUTHORIZATIONS), 2024);
    }

    function sign(IItmo.ConversionOrder memory order, uint256 nonce, uint256 key) private view returns (bytes memory) {
        bytes32 orderType = keccak256(
            "ConversionOrder(uint32 implementer,uint64 amount,uint32 authorization,uint16 vintage,uint256 nonce,uint64 deadline)"
        );
        bytes32 domainType = keccak256(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
        );
        bytes32 domain = keccak256(
            abi.encode(domainType, keccak256("Hearth ITMO"), keccak256("1"), block.chainid, address(itmo))
        );
        bytes32 content = keccak256(abi.encode(orderType, order, nonce, type(uint64).max));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", domain, content)));
        return abi.encodePacked(r, s, v);
    }

    function registryOf(uint8 registry) internal pure returns (bytes5) {
        return registry % 4 == 0 ? bytes5("ZMB02") : bytes5("ZMB01");
    }

    /// @dev Mostly the first from the seed's on that is requested, sometimes any.
    function pickConversion(uint256 seed) private view returns (uint32 conversion) {
        uint32 total = itmo.conversionCount();
        vm.assume(total > 0);
        for (uint32 i = 0; i < total; ++i) {
            conversion = 1 + uint32((seed + i) % total);
            if (seed % 8 == 0) return conversion;
            if (itmo.conversionOf(conversion).status == IItmo.ConversionStatus.Requested) return conversion;
        }
    }

    /// @dev A part of some block of some conversion that was minted.
    function pickPart(uint256 seed, uint64 from, uint64 length) private view returns (IItmo.Part memory part) {
        uint32 total = itmo.conversionCount();
        for (uint32 i = 0; i < total; ++i) {
            uint32 conversion = 1 + uint32((seed + i) % total);
            if (itmo.conversionOf(conversion).status != IItmo.ConversionStatus.Finalised) continue;
            uint96[] memory blocks = blocksOf(conversion);
            part.blockId = blocks[(seed >> 64) % blocks.length];
            IItmo.Block memory found = itmo.blockOf(part.blockId);
            part.firstId = uint64(bound(from, found.firstId, found.lastId));
            part.lastId = uint64(bound(length, part.firstId, found.lastId));
            // A wrong part now and then.
            if (seed % 32 == 0) ++part.lastId;
            return part;
        }
        vm.assume(false);
    }

    /// @notice The blocks that cover a conversion's serials, one after the other.
    function blocksOf(uint32 conversion) public view returns (uint96[] memory blocks) {
        IItmo.Conversion memory record = itmo.conversionOf(conversion);
        uint64 first = firstOf[conversion];
        uint256 found;
        blocks = new uint96[](record.quantity);
        for (uint64 serial = first; serial < first + record.quantity; ++found) {
            blocks[found] = (uint96(conversion) << 64) | serial;
            serial = itmo.blockOf(blocks[found]).lastId + 1;
        }
        assembly ("memory-safe") {
            mstore(blocks, found)
        }
    }

    function count(uint64 tonnes) private {
        uint256 today = block.timestamp / 1 days;
        movedOn[today] += tonnes;
        if (movedOn[today] > itmo.dailyCap()) violate("I8: more was moved in a day than the cap");
    }

    function witness(uint96 blockId) private {
        uint32 conversion = uint32(blockId >> 64);
        if (firstOf[conversion] == 0) firstOf[conversion] = uint64(blockId);
        IItmo.Block memory record = itmo.blockOf(blockId);
        bool isConsumed = record.status != IItmo.BlockStatus.Held;
        IItmo.BlockStatus status = isConsumed ? record.status : IItmo.BlockStatus.None;
        bytes3 party = isConsumed ? record.party : bytes3(0);
        _witnesses.push(Witness(conversion, record.firstId, status, record.firstTransfer, party));
        _witnesses.push(Witness(conversion, record.lastId, status, record.firstTransfer, party));
    }

    function witnesses() external view returns (Witness[] memory) {
        return _witnesses;
    }
}
