// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Blockhash} from "@openzeppelin/contracts/utils/Blockhash.sol";
import {Campaigns} from "../../../contracts/campaigns/Campaigns.sol";
import {ICampaigns} from "../../../contracts/campaigns/ICampaigns.sol";
import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @notice Answers as EIP-2935 does, with hashes that depend on the number alone.
contract History {
    fallback(bytes calldata input) external returns (bytes memory) {
        uint256 number = abi.decode(input, (uint256));
        require(number < block.number && number + 8191 >= block.number);
        return abi.encode(keccak256(abi.encode("block", number)));
    }
}

/// @title CampaignsHandler
/// @notice Offers every action on campaigns to the fuzzer, right and wrong, and keeps a model of what must come of it.
contract CampaignsHandler is Cheats {
    uint32 private constant MOST = 4;

    struct Model {
        ICampaigns.Status status;
        uint32 sampleSize;
        uint64 drawBlock;
        bytes32 seed;
        bytes32 resultHash;
        uint32 certificate;
        uint32[2] sizes;
        uint32[2] drawnTo;
        uint32[2] standing;
        uint32[2] missing;
        uint32 version;
        uint32 round;
        bool open;
        bool kept;
        bool operatorRevealed;
        bool partyRevealed;
        bool operatorWithheld;
        bool twoParties;
        address party;
        uint64 deadline;
    }

    Campaigns public campaigns;
    string public violation;
    uint96[] public claims;
    mapping(bytes32 action => uint256 count) public done;
    mapping(uint96 claim => bytes32 credentialHash) public recorded;
    mapping(bytes32 credentialHash => bool) public credentialUsed;
    mapping(uint96 claim => bool) public revoked;
    mapping(uint64 place => bool) public dropped;
    mapping(uint64 place => bool) public claimed;
    mapping(uint64 place => bool) public missed;
    mapping(uint64 place => uint256 count) public standingAt;
    mapping(uint32 campaign => mapping(address party => bool)) public withheld;
    mapping(uint32 campaign => Model) private _models;

    Participants private _participants;
    Certificates private _certificates;
    uint32 private _certificateCount;
    /// @dev The runner forgets a roll after each call, so that each action begins with one.
    uint256 private _height = 1_000;
    uint256 private _time = 1 days;
    address private _operator = address(0xA1);
    address private _evaluator = address(0xA2);
    address private _registrar = address(0xA3);

    constructor() {
        vm.roll(_height);
        vm.etch(Blockhash.HISTORY_STORAGE_ADDRESS, address(new History()).code);
        _participants = new Participants(address(this));
        _participants.grantRole(Roles.OPERATOR, _operator, 0);
        _participants.grantRole(Roles.EVALUATOR, _evaluator, 0);
        _participants.grantRole(Roles.REGISTRAR, _registrar, 0);
        _certificates = new Certificates(_participants, IVouchers(address(this)));
        campaigns = new Campaigns(_participants, _certificates);
        string[] memory types = new string[](1);
        types[0] = "EmissionReductionCredential";
        vm.startPrank(_registrar);
        _participants.registerImplementer("did:i", address(0xB1), "I");
        _participants.trustIssuer("did:verifier", types, 0, 0);
        vm.stopPrank();
    }

    modifier action(string memory name) {
        vm.roll(_height);
        vm.warp(_time);
        _;
        ++done[keccak256(bytes(name))];
    }

    function modelOf(uint32 campaign) external view returns (Model memory) {
        return _models[campaign];
    }

    function claimCount() external view returns (uint256) {
        return claims.length;
    }

    function commit(uint8 first, uint8 second, uint8 sample) external action("commit") {
        vm.assume(campaigns.campaignCount() < MOST);
        uint32[2] memory sizes = [uint32(first % 12) + 1, uint32(second % 12) + 1];
        uint32 least = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
        uint32 size = uint32(sample % (least + 2));
        uint32 number = campaigns.campaignCount() + 1;
        ICampaigns.Frame[2] memory frames = [
            ICampaigns.Frame(keccak256(abi.encode(number, 0)), sizes[0]),
            ICampaigns.Frame(keccak256(abi.encode(number, 1)), sizes[1])
        ];
        ICampaigns.NewCampaign memory order = ICampaigns.NewCampaign(
            string(abi.encode(number)),
            0,
            10,
            20,
            size,
            frames[0],
            frames[1],
            "{}"
        );
        bool isRight = size > 0 && size <= least;
        vm.prank(_operator);
        try campaigns.commit(order) returns (uint32 campaign) {
            if (!isRight) violate("K4: a sample that a frame cannot give");
            Model storage model = _models[campaign];
            model.status = ICampaigns.Status.Committed;
            model.sampleSize = size;
            model.sizes = sizes;
            model.version = 1;
        } catch {
            if (isRight) violate("K7: a right commitment was refused");
        }
    }

    function amend(uint8 which, uint16 length) external action("amend") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        string memory reason = string(new bytes(length % 300));
        bool isRight = model.status == ICampaigns.Status.Committed && length % 300 > 0 && length % 300 <= 256;
        isRight = isRight && !model.open;
        vm.prank(_operator);
        try campaigns.amend(campaign, "{}", reason) returns (uint32 version) {
            if (!isRight) violate("K8: terms were amended that could not be");
            if (version != ++model.version) violate("K8: a version was skipped");
        } catch {
            if (isRight) violate("K7: a right amendment was refused");
        }
    }

    function abandon(uint8 which, uint8 chance) external action("abandon") {
        vm.assume(chance % 16 == 0);
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        bool isRight = model.status == ICampaigns.Status.Committed || model.status == ICampaigns.Status.Drawn;
        vm.prank(_operator);
        try campaigns.abandon(campaign, "no funds") {
            if (!isRight) violate("K5: a campaign was abandoned that could not be");
            model.status = ICampaigns.Status.Abandoned;
        } catch {
            if (isRight) violate("K7: a right abandonment was refused");
        }
    }

    function advance(uint16 blocks) external action("advance") {
        // Now and then out of the history's reach.
        _height += blocks % 16 == 0 ? 9_000 : (blocks % 5) + 1;
        // Now and then beyond the time to reveal.
        _time += blocks % 8 == 7 ? 1 days : 12;
    }

    function join(uint8 which, uint8 who) external action("join") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        address[4] memory accounts = [_evaluator, _registrar, _operator, address(0xC1)];
        address party = accounts[who % 4];
        bool isRight = model.status == ICampaigns.Status.Committed && !model.open && model.party == address(0);
        isRight = isRight && who % 4 < 2 && !withheld[campaign][party];
        bytes32 commitment = keccak256(abi.encode(secretOf(campaign, model.round, true), party));
        vm.prank(party);
        try campaigns.joinDraw(campaign, commitment) {
            if (!isRight) violate("K9: a party joined that could not");
            model.party = party;
        } catch {
            if (isRight) violate("K7: a right party was refused");
        }
    }

    function open(uint8 which) external action("open") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        bool isRight = model.status == ICampaigns.Status.Committed && !model.open;
        bytes32 commitment = keccak256(abi.encode(secretOf(campaign, model.round, false), _operator));
        vm.prank(_operator);
        try campaigns.openDraw(campaign, commitment) {
            if (!isRight) violate("K9: a draw was opened twice");
            model.open = true;
            model.drawBlock = uint64(_height + 2);
            model.deadline = uint64(_time + 1 days);
        } catch {
            if (isRight) violate("K7: a right opening was refused");
        }
    }

    /// @param whose 1 the operator's secret, 2 or 3 the second party's, 0 nobody's.
    function reveal(uint8 which, uint8 whose) external action("reveal") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        whose = whose % 4;
        bool isRight = whose == 1 ? !model.operatorRevealed : whose > 1 && model.party != address(0);
        if (whose > 1 && model.partyRevealed) isRight = false;
        isRight = isRight && isOpen(model) && _time <= model.deadline && (model.kept || isInReach(model));
        bytes32 secret = whose == 0 ? bytes32(uint256(1)) : secretOf(campaign, model.round, whose > 1);
        try campaigns.reveal(campaign, secret) returns (bool drawn) {
            if (!isRight) violate("K4: a secret was revealed before the draw's block, late, or twice");
            model.kept = true;
            if (whose == 1) model.operatorRevealed = true;
            else model.partyRevealed = true;
            bool isLast = model.operatorRevealed && (model.partyRevealed || model.party == address(0));
            if (drawn != isLast) violate("K9: a draw without a party's secret, or none with both");
            if (drawn) keepDraw(campaign, model);
        } catch {
            if (isRight) violate("K7: a right secret was refused");
        }
    }

    /// @notice A whole draw in one action, so that many sequences get beyond it.
    function draw(uint8 which, bool alone) external action("draw") {
        if (!alone) this.join(which, 0);
        this.open(which);
        _height += 3;
        this.reveal(which, 1);
        this.reveal(which, 2);
    }

    function keepDraw(uint32 campaign, Model storage model) private {
        ICampaigns.Campaign memory now_ = campaigns.campaignOf(campaign);
        bytes32 blockHash = keccak256(abi.encode("block", uint256(model.drawBlock)));
        bool isAlone = model.party == address(0);
        model.seed = keccak256(
            abi.encode(
                blockHash,
                campaign,
                now_.referenceFrame.root,
                now_.interventionFrame.root,
                secretOf(campaign, model.round, false),
                isAlone ? bytes32(0) : secretOf(campaign, model.round, true)
            )
        );
        model.twoParties = !isAlone && !model.operatorWithheld;
        model.status = ICampaigns.Status.Drawn;
        model.drawnTo = [model.sampleSize, model.sampleSize];
    }

    function postpone(uint8 which) external action("postpone") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        bool isRight = isOpen(model) && !model.kept && _height > model.drawBlock && !isInReach(model);
        try campaigns.postponeDraw(campaign) {
            if (!isRight) violate("K4: a draw was postponed that could not be");
            model.drawBlock = uint64(_height + 2);
            model.deadline = uint64(_time + 1 days);
        } catch {
            if (isRight) violate("K7: a right postponement was refused");
        }
    }

    function repeatDraw(uint8 which) external action("repeatDraw") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        bool isRight = isOpen(model) && _time > model.deadline;
        try campaigns.repeatDraw(campaign) {
            if (!isRight) violate("K9: a draw was repeated in time");
            if (!model.operatorRevealed) model.operatorWithheld = true;
            if (!model.partyRevealed) withheld[campaign][model.party] = true;
            (model.open, model.kept, model.operatorRevealed, model.partyRevealed) = (false, false, false, false);
            (model.party, model.drawBlock, model.deadline) = (address(0), 0, 0);
            ++model.round;
        } catch {
            if (isRight) violate("K7: a right repetition was refused");
        }
    }

    function isOpen(Model storage model) private view returns (bool) {
        return model.status == ICampaigns.Status.Committed && model.open;
    }

    function isInReach(Model storage model) private view returns (bool) {
        return _height > model.drawBlock && _height - model.drawBlock <= 8191;
    }

    function secretOf(uint32 campaign, uint32 round, bool ofParty) private pure returns (bytes32) {
        return keccak256(abi.encode("secret", campaign, round, ofParty));
    }

    function replace(uint8 which, bool second, uint8 position, uint8 reason) external action("replace") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        uint256 group = second ? 1 : 0;
        uint32 number = position % 14;
        uint64 place = placeOf(campaign, second, number);
        uint32 next = model.drawnTo[group];
        bool isRight = model.status == ICampaigns.Status.Drawn && number < next && next < model.sizes[group];
        isRight = isRight && !dropped[place] && !claimed[place] && !missed[place] && evidenceOf(reason) != 0;
        vm.prank(_operator);
        try
            campaigns.replace(
                campaign,
                ICampaigns.Group(group),
                number,
                ICampaigns.DropReason(reason % 6),
                evidenceOf(reason)
            )
        returns (uint32 replacement) {
            if (!isRight) violate("K1: a household was dropped that could not be");
            if (replacement != next) violate("K1: a replacement out of order");
            dropped[place] = true;
            model.drawnTo[group] = next + 1;
        } catch {
            if (isRight) violate("K7: a right replacement was refused");
        }
    }

    function markMissing(uint8 which, bool second, uint8 position, uint8 reason) external action("markMissing") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        uint256 group = second ? 1 : 0;
        uint32 number = position % 14;
        uint64 place = placeOf(campaign, second, number);
        bool isRight = model.status == ICampaigns.Status.Drawn && number < model.drawnTo[group];
        isRight = isRight && !dropped[place] && !missed[place] && standingAt[place] == 0 && isExplained(reason);
        vm.prank(_operator);
        try
            campaigns.markMissing(
                campaign,
                ICampaigns.Group(group),
                number,
                ICampaigns.DropReason(reason % 6),
                evidenceOf(reason)
            )
        {
            if (!isRight) violate("K8: a position ended as missing that could not");
            missed[place] = true;
            ++model.missing[group];
        } catch {
            if (isRight) violate("K7: a right missing position was refused");
        }
    }

    function record(uint8 which, bool second, uint8 position, uint8 number, uint8 blank) external action("record") {
        ICampaigns.ClaimRecord memory order = orderOf(which, second, position, number, blank);
        bool isRight = mayRecord(order);
        vm.prank(_operator);
        try campaigns.record(order.claim, order.claimHash, order.credentialHash) {
            if (!isRight) violate("K3: a claim was recorded that could not be");
            keep(order);
        } catch {
            if (isRight) violate("K7: a right claim was refused");
        }
    }

    function recordMany(uint8 which, uint256 seed) external action("recordMany") {
        ICampaigns.ClaimRecord[] memory orders = new ICampaigns.ClaimRecord[](6);
        for (uint256 i = 0; i < 6; ++i) {
            uint256 part = uint256(keccak256(abi.encode(seed, i)));
            uint8 campaign = part % 4 == 0 ? uint8(part >> 40) : which;
            orders[i] = orderOf(
                campaign,
                (part >> 8) & 1 == 1,
                uint8(part >> 16),
                uint8(part >> 24),
                uint8(part >> 32)
            );
        }
        vm.prank(_operator);
        try campaigns.recordMany(orders) {
            for (uint256 i = 0; i < 6; ++i) if (mayRecord(orders[i])) keep(orders[i]);
        } catch {
            violate("K7: a batch was refused whole");
        }
    }

    function revoke(uint256 which, bool twice) external action("revoke") {
        vm.assume(claims.length > 0);
        uint96 claim = claims[which % claims.length];
        vm.assume(twice || !revoked[claim]);
        vm.prank(_evaluator);
        try campaigns.revoke(claim, "forged") {
            if (revoked[claim]) violate("K6: a claim was revoked twice");
            revoked[claim] = true;
            --_models[uint32(claim >> 64)].standing[(claim >> 63) & 1];
            --standingAt[uint64(claim >> 32)];
        } catch {
            if (!revoked[claim]) violate("K7: a right revocation was refused");
        }
    }

    function close(uint8 which, uint8 chance) external action("close") {
        vm.assume(chance % 8 == 0);
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        bytes32 resultHash = keccak256(abi.encode(campaign, chance, _height));
        // Its last day is day 20.
        bool isOver = chance % 16 == 0;
        vm.warp(isOver ? 21 days : 21 days - 1);
        bool isRight = model.status == ICampaigns.Status.Drawn && isOver && openOf(campaign) == 0;
        vm.prank(_operator);
        try campaigns.close(campaign, resultHash) {
            if (!isRight) violate("K5: a campaign was closed that could not be");
            model.status = ICampaigns.Status.Closed;
            model.resultHash = resultHash;
        } catch {
            if (isRight) violate("K7: a right close was refused");
        }
    }

    function certify(uint8 which, uint8 certificate) external action("certify") {
        uint32 campaign = pick(which);
        Model storage model = _models[campaign];
        uint32 index = certificate % 2 == 0 ? register() : uint32(certificate % (_certificateCount + 1));
        bool isRight = model.status == ICampaigns.Status.Closed && model.certificate == 0 && index != 0;
        isRight = isRight && openOf(campaign) == 0 && model.twoParties;
        for (uint256 i = 0; i < 2; ++i) if (model.missing[i] * 10 > model.sampleSize) isRight = false;
        for (uint32 i = 1; i <= MOST; ++i) if (_models[i].certificate == index) isRight = false;
        vm.prank(_registrar);
        try campaigns.certify(campaign, index) {
            if (!isRight) violate("K5: a certificate was linked that could not be");
            model.certificate = index;
        } catch {
            if (isRight) violate("K7: a right certificate was refused");
        }
    }

    /// @dev Nobody but the one that it is for may do any of these.
    function intrude(uint8 who, uint8 what, uint8 which, uint8 position) external action("intrude") {
        uint32 campaign = pick(which);
        address[4] memory accounts = [_operator, _evaluator, _registrar, address(0xC1)];
        uint256 entitled =
            what % 4 == 2
                ? 1
                : what % 4 == 3
                    ? 2
                    : 0;
        vm.assume(who % 4 != entitled);
        uint96 claim = idOf(campaign, false, position % 12, 1);
        bytes memory call = abi.encodeCall(campaigns.record, (claim, bytes32(uint256(1)), bytes32(uint256(1))));
        if (what % 8 == 4) call = abi.encodeCall(campaigns.abandon, (campaign, "no funds"));
        if (what % 4 == 1) call = abi.encodeCall(campaigns.close, (campaign, bytes32(uint256(1))));
        if (what % 4 == 2) call = abi.encodeCall(campaigns.revoke, (claim, "forged"));
        if (what % 4 == 3) call = abi.encodeCall(campaigns.certify, (campaign, 1));
        vm.prank(accounts[who % 4]);
        (bool success, ) = address(campaigns).call(call);
        if (success) violate("K7: an intruder's call went through");
    }

    function register() private returns (uint32 certificate) {
        uint64 number = ++_certificateCount;
        ICertificates.Registration memory entry;
        entry.certificateId = string(abi.encode(number));
        entry.activityId = "A";
        entry.implementer = 1;
        entry.verifiedReduction = 1;
        entry.registry = "R";
        (entry.firstSerial, entry.lastSerial) = (number, number);
        entry.verifier = keccak256("did:verifier");
        entry.credentialIssuedAt = 1;
        entry.credentialHash = keccak256(abi.encode(number));
        entry.predecessor = uint32(number - 1);
        vm.prank(_registrar);
        return _certificates.registerCertificate(entry);
    }

    function mayRecord(ICampaigns.ClaimRecord memory order) private view returns (bool) {
        uint96 claim = order.claim;
        Model storage model = _models[uint32(claim >> 64)];
        uint64 place = uint64(claim >> 32);
        if (model.status != ICampaigns.Status.Drawn || uint32(claim) == 0 || recorded[claim] != 0) return false;
        if (order.claimHash == 0 || order.credentialHash == 0) return false;
        if (credentialUsed[order.credentialHash]) return false;
        if (uint32(claim >> 32) & 0x7fffffff >= model.drawnTo[(claim >> 63) & 1] || dropped[place] || missed[place])
            return false;
        return (claim >> 63) & 1 == 0 || model.standing[0] > 0;
    }

    function keep(ICampaigns.ClaimRecord memory order) private {
        uint96 claim = order.claim;
        if (recorded[claim] != 0) violate("K2: a claim was recorded twice");
        if (credentialUsed[order.credentialHash]) violate("K2: a credential was recorded twice");
        credentialUsed[order.credentialHash] = true;
        recorded[claim] = order.credentialHash;
        claimed[uint64(claim >> 32)] = true;
        ++standingAt[uint64(claim >> 32)];
        claims.push(claim);
        ++_models[uint32(claim >> 64)].standing[(claim >> 63) & 1];
    }

    function orderOf(
        uint8 which,
        bool second,
        uint8 position,
        uint8 number,
        uint8 blank
    ) private view returns (ICampaigns.ClaimRecord memory) {
        uint96 claim = idOf(pick(which), second, position % 14, number % 4);
        bytes32 hash = keccak256(abi.encode("claim", claim, claims.length));
        // Now and then one that other claims bring too.
        bytes32 credential = keccak256(abi.encode("credential", blank % 16 == 3 ? 0 : claim));
        return
            ICampaigns.ClaimRecord(
                claim,
                blank % 16 == 0 ? bytes32(0) : hash,
                blank % 16 == 1 ? bytes32(0) : credential
            );
    }

    /// @dev Drawn positions that are neither dropped nor missing nor measured.
    function openOf(uint32 campaign) public view returns (uint32 open) {
        for (uint256 group = 0; group < 2; ++group) {
            for (uint32 position = 0; position < _models[campaign].drawnTo[group]; ++position) {
                uint64 place = placeOf(campaign, group == 1, position);
                if (!dropped[place] && !missed[place] && standingAt[place] == 0) ++open;
            }
        }
    }

    function isExplained(uint8 reason) private pure returns (bool) {
        return reason % 6 != 0 || evidenceOf(reason) != 0;
    }

    function evidenceOf(uint8 reason) private pure returns (bytes32) {
        return bytes32(uint256(reason / 6) % 2);
    }

    function violate(string memory what) private {
        if (bytes(violation).length == 0) violation = what;
    }

    /// @dev One too many, so that an unknown campaign is tried as well.
    function pick(uint8 which) private view returns (uint32) {
        return 1 + (which % (campaigns.campaignCount() + 1));
    }

    function placeOf(uint32 campaign, bool second, uint32 position) public pure returns (uint64) {
        return (uint64(campaign) << 32) | (second ? uint64(1) << 31 : 0) | position;
    }

    function idOf(uint32 campaign, bool second, uint32 position, uint32 number) private pure returns (uint96) {
        return (uint96(placeOf(campaign, second, position)) << 32) | number;
    }
}

/// @title CampaignsTest
/// @notice The numbered properties of INVARIANTS.md that campaigns have.
contract CampaignsTest is Cheats {
    CampaignsHandler private _handler;
    Campaigns private _campaigns;

    error Failed(string what, uint256 actual, uint256 expected);

    function setUp() external {
        _handler = new CampaignsHandler();
        _campaigns = _handler.campaigns();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @notice The contract is as the model of all that was done to it.
    function invariant_campaigns() external view {
        for (uint32 campaign = 1; campaign <= _campaigns.campaignCount(); ++campaign) {
            ICampaigns.Campaign memory now_ = _campaigns.campaignOf(campaign);
            CampaignsHandler.Model memory model = _handler.modelOf(campaign);
            require(now_.status == model.status, Failed("K5: status", uint256(now_.status), uint256(model.status)));
            require(now_.resultHash == model.resultHash, "K5: the result changed");
            require(now_.certificate == model.certificate, "K5: the certificate changed");
            require(now_.seed == model.seed, "K4: the seed is not its block's");
            require(now_.drawBlock == model.drawBlock, Failed("K4: draw block", now_.drawBlock, model.drawBlock));
            _requireDraw(campaign, now_, model);
            require(now_.sampleSize == model.sampleSize, "K4: the sample's size changed");
            require(now_.termsVersion == model.version, Failed("K8: version", now_.termsVersion, model.version));
            uint32 open = _handler.openOf(campaign);
            require(now_.openPositions == open, Failed("K8: open positions", now_.openPositions, open));
            for (uint256 group = 0; group < 2; ++group) _requireGroup(campaign, group, now_, model);
        }
        for (uint256 i = 0; i < _handler.claimCount(); ++i) {
            uint96 claim = _handler.claims(i);
            (bool recorded, bool revoked) = _campaigns.recordOf(claim);
            require(recorded, Failed("K2: a record is gone", claim, 0));
            uint96 held = _campaigns.credentialClaim(_handler.recorded(claim));
            require(held == claim, Failed("K2: a credential's claim changed", claim, held));
            require(revoked == _handler.revoked(claim), Failed("K6: a revocation", claim, 0));
        }
        require(bytes(_handler.violation()).length == 0, _handler.violation());
    }

    function _requireDraw(
        uint32 campaign,
        ICampaigns.Campaign memory now_,
        CampaignsHandler.Model memory model
    ) private view {
        ICampaigns.Draw memory draw = _campaigns.drawOf(campaign);
        require(now_.twoParties == model.twoParties, "K9: two parties");
        require(draw.round == model.round, Failed("K9: round", draw.round, model.round));
        require(draw.party == model.party, "K9: the second party changed");
        require(draw.deadline == model.deadline, Failed("K9: deadline", draw.deadline, model.deadline));
        require(draw.operatorWithheld == model.operatorWithheld, "K9: the operator's withheld secret is forgotten");
        require((draw.operatorCommitment != 0) == model.open, "K9: open");
        require((draw.operatorSecret != 0) == model.operatorRevealed, "K9: the operator's secret");
        require((draw.partySecret != 0) == model.partyRevealed, "K9: the second party's secret");
        bool withheld = model.party != address(0) && _campaigns.hasWithheld(campaign, model.party);
        require(!withheld, "K9: a party that withheld joined again");
    }

    function _requireGroup(
        uint32 campaign,
        uint256 group,
        ICampaigns.Campaign memory now_,
        CampaignsHandler.Model memory model
    ) private view {
        uint256 standing = group == 0 ? now_.referenceClaims : now_.interventionClaims;
        uint256 size = group == 0 ? now_.referenceFrame.size : now_.interventionFrame.size;
        require(standing == model.standing[group], Failed("K6: claims", standing, model.standing[group]));
        require(size == model.sizes[group], "K4: a frame changed");
        require(now_.drawnTo[group] == model.drawnTo[group], Failed("K1: drawn", now_.drawnTo[group], campaign));
        require(now_.drawnTo[group] <= size, Failed("K1: beyond the frame", now_.drawnTo[group], size));
        uint256 drops = 0;
        uint256 gone = 0;
        for (uint32 position = 0; position < 16; ++position) {
            uint64 place = _handler.placeOf(campaign, group == 1, position);
            (bool dropped, bool hasClaim, bool missing) = _campaigns.positionOf(
                campaign,
                ICampaigns.Group(group),
                position
            );
            require(dropped == _handler.dropped(place), Failed("K1: dropped", place, 0));
            require(hasClaim == _handler.claimed(place), Failed("K3: claimed", place, 0));
            require(!(dropped && hasClaim), Failed("K1: dropped with a claim", place, 0));
            require(missing == _handler.missed(place), Failed("K8: missing", place, 0));
            if (dropped) ++drops;
            if (missing) ++gone;
        }
        require(now_.missing[group] == gone, Failed("K8: missing positions", now_.missing[group], gone));
        bool isDrawn = now_.drawnTo[group] > 0;
        uint256 active = isDrawn ? now_.drawnTo[group] - drops : now_.sampleSize;
        require(active == now_.sampleSize, Failed("K1: active households", active, now_.sampleSize));
    }

    /// @notice The actions have an effect: together they reach a certificate.
    function test_handlerReachesTheEnd() external {
        _handler.commit(5, 7, 3);
        // A round in which the second party withholds its secret, and one whose block goes out of reach.
        _handler.join(0, 0);
        _handler.open(0);
        _handler.advance(2);
        _handler.reveal(0, 1);
        _handler.advance(7);
        _handler.repeatDraw(0);
        _handler.join(0, 1);
        _handler.open(0);
        _handler.advance(16);
        _handler.postpone(0);
        _handler.advance(2);
        _handler.reveal(0, 1);
        _handler.reveal(0, 2);
        _handler.replace(0, false, 1, 1);
        _handler.record(0, false, 0, 1, 2);
        _handler.record(0, true, 0, 1, 2);
        for (uint256 seed = 0; seed < 8; ++seed) _handler.recordMany(0, seed);
        _handler.revoke(0, false);
        for (uint8 position = 0; position < 4; ++position) {
            _handler.record(0, false, position, 2, 2);
            _handler.record(0, true, position, 2, 2);
        }
        _handler.close(0, 0);
        _handler.certify(0, 0);
        CampaignsHandler.Model memory model = _handler.modelOf(1);
        require(model.certificate == 1, Failed("certificate", model.certificate, 1));
        require(_handler.claimCount() > 2, Failed("claims", _handler.claimCount(), 3));
        require(bytes(_handler.violation()).length == 0, _handler.violation());
        this.invariant_campaigns();
    }

    /// @notice Every refusal of a batch is the one that `record` reverts with, and nothing is recorded by it.
    function testFuzzBatchRefusesAsTheSingleCallDoes(uint96 claim, bytes32 claimHash, bytes32 credentialHash) external {
        address operator = address(0xA1);
        _handler.commit(5, 7, 3);
        _handler.open(0);
        _handler.advance(2);
        vm.roll(2_000);
        _handler.reveal(0, 1);
        // Near the sample more often than not.
        if (claim % 4 != 0) claim = (uint96(1) << 64) | (claim & ((uint96(1) << 63) | (uint96(7) << 32) | 3));
        ICampaigns.ClaimRecord[] memory orders = new ICampaigns.ClaimRecord[](1);
        orders[0] = ICampaigns.ClaimRecord(claim, claimHash, credentialHash);
        vm.prank(operator);
        (bool success, bytes memory refusal) = address(_campaigns).call(
            abi.encodeCall(_campaigns.record, (claim, claimHash, credentialHash))
        );
        (bool before, ) = _campaigns.recordOf(claim);
        require(success == before, Failed("recorded", claim, 0));
        require(success || refusal.length >= 4, Failed("refusal", refusal.length, 4));
        vm.prank(operator);
        _campaigns.recordMany(orders);
        (bool later, ) = _campaigns.recordOf(claim);
        require(later == before, Failed("the batch recorded", claim, 0));
    }
}
