// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {BlockHashes} from "../shared/BlockHashes.sol";
import {Members} from "../shared/Members.sol";
import {Roles} from "../shared/Roles.sol";
import {ICampaigns} from "./ICampaigns.sol";

/// @title Campaigns
/// @notice See `ICampaigns`.
/// @dev
/// STORAGE. A claim costs one slot, its credential's hash. What is known of a position are four bits, 64 positions to a
/// slot; a household's later claims and its revoked ones are counted apart, because most households have one claim.
///
/// TRUST. The chain cannot see the frames: an operator who commits a false root, or one household in both frames, is
/// found out by anyone who checks the published frames, not here.
///
/// DRAW. The seed needs the hash of a block and the secrets of two parties, which both committed before that block. So
/// neither a party nor the block's proposer can choose the seed alone. A party that sees the other's secret first can
/// withhold its own. The event names it, and a second party that withheld cannot join this campaign's draw again. A draw
/// whose operator withheld once never counts as one of two parties.
///
/// Warning: the chain cannot see whether two accounts belong to one person. Anyone who orders the transactions can keep the
/// second party's secret out until the deadline, so that the event names that party without its fault.
///
/// Warning: an operator can commit several campaigns and continue the one whose draw it likes; the others stay open or
/// abandoned for everyone to see, and `DrawDiscarded` tells whose draw was open or done by then. It can drop households
/// that it has not measured, or let them end as missing; each such act is in an event with its reason, and too many
/// missing ones prevent a certificate.
contract Campaigns is ICampaigns, EIP712 {
    using Members for IParticipants;

    /// @dev Blocks from the opening of the draw (or its postponement) to the block that draws.
    uint256 private constant DRAW_DELAY = 2;
    /// @dev Seconds to reveal the secrets, from the opening of the draw or its postponement.
    uint256 private constant REVEAL_TIME = 1 days;
    bytes32 private constant DRAW_PARTY_TYPEHASH = keccak256(
        "DrawParty(uint32 campaign,uint32 round,bytes32 commitment,uint64 deadline)"
    );
    /// @dev Bytes of a revocation's reason.
    uint256 private constant REASON_LIMIT = 64;
    /// @dev Bytes of the reason of an amendment or of an abandonment.
    uint256 private constant EXPLANATION_LIMIT = 256;
    /// @dev A certificate needs at most one missing position in this many of a group's sample.
    uint256 private constant SAMPLE_PER_MISSING = 10;
    /// @dev A position has 31 bits.
    uint256 private constant POSITION_MASK = (1 << 31) - 1;
    /// @dev Bits of a position's mark: its household was dropped, has ever had a claim, has the claim of number 1, ended
    /// as missing.
    uint256 private constant DROPPED = 1;
    uint256 private constant CLAIMED = 2;
    uint256 private constant FIRST_CLAIM = 4;
    uint256 private constant MISSING = 8;
    uint256 private constant MARK_BITS = 4;
    uint256 private constant MARK_MASK = (1 << MARK_BITS) - 1;

    /// @dev Seven slots; a record touches the first two.
    struct Entry {
        uint32 plan;
        uint24 startDay;
        uint24 endDay;
        uint32 sampleSize;
        Status status;
        uint64 drawBlock;
        uint32 referenceDrawnTo;
        uint32 interventionDrawnTo;
        // Second slot.
        uint32 referenceSize;
        uint32 interventionSize;
        uint32 referenceClaims;
        uint32 interventionClaims;
        uint32 certificate;
        uint32 openPositions;
        uint32 referenceMissing;
        uint32 interventionMissing;
        // A slot each.
        bytes32 referenceRoot;
        bytes32 interventionRoot;
        bytes32 seed;
        bytes32 resultHash;
        // Last slot.
        uint32 termsVersion;
        bool twoParties;
    }

    /// @dev Claims of a position besides its claim of number 1, and its revoked claims.
    struct ClaimCount {
        uint32 later;
        uint32 revoked;
    }

    /// @notice Who takes part, and who may do what.
    IParticipants public immutable PARTICIPANTS;
    /// @notice Where a result becomes a certificate.
    ICertificates public immutable CERTIFICATES;

    /// @inheritdoc ICampaigns
    uint32 public campaignCount;
    /// @inheritdoc ICampaigns
    mapping(bytes32 campaignIdHash => uint32 campaign) public campaignIndex;
    /// @inheritdoc ICampaigns
    mapping(uint32 certificate => uint32 campaign) public certificateCampaign;
    mapping(uint32 campaign => Entry) private _entries;
    mapping(uint32 campaign => Draw) private _draws;
    /// @inheritdoc ICampaigns
    mapping(uint32 campaign => mapping(address party => bool)) public hasWithheld;
    /// @dev By campaign, group and position, divided by 64.
    mapping(uint256 word => uint256 marks) private _marks;
    /// @dev A household's claims after its first: most have one claim, which its mark shows for less gas.
    mapping(uint96 claim => bool) private _isLaterRecorded;
    mapping(uint64 place => ClaimCount) private _claimCounts;
    /// @inheritdoc ICampaigns
    mapping(bytes32 credentialHash => uint96 claim) public credentialClaim;
    mapping(uint96 claim => bool) private _revoked;

    constructor(IParticipants participants, ICertificates certificates) EIP712("Hearth Campaigns", "1") {
        PARTICIPANTS = participants;
        CERTIFICATES = certificates;
    }

    modifier onlyRole(uint64 role) {
        PARTICIPANTS.requireRole(role, msg.sender);
        _;
    }

    // Commitment and draw.

    /// @inheritdoc ICampaigns
    function commit(NewCampaign calldata registration) external onlyRole(Roles.OPERATOR) returns (uint32 campaign) {
        _checkRegistration(registration);
        bytes32 idHash = keccak256(bytes(registration.campaignId));
        uint32 earlier = campaignIndex[idHash];
        require(earlier == 0, CampaignExists(idHash, earlier));
        campaign = ++campaignCount;
        campaignIndex[idHash] = campaign;
        Entry storage entry = _entries[campaign];
        entry.plan = registration.plan;
        entry.startDay = registration.startDay;
        entry.endDay = registration.endDay;
        entry.sampleSize = registration.sampleSize;
        entry.status = Status.Committed;
        entry.referenceSize = registration.referenceFrame.size;
        entry.interventionSize = registration.interventionFrame.size;
        entry.referenceRoot = registration.referenceFrame.root;
        entry.interventionRoot = registration.interventionFrame.root;
        entry.termsVersion = 1;
        emit CampaignCommitted(campaign, registration.plan, registration);
    }

    /// @inheritdoc ICampaigns
    function amend(
        uint32 campaign,
        string calldata terms,
        string calldata reason
    ) external onlyRole(Roles.OPERATOR) returns (uint32 version) {
        Entry storage entry = _load(campaign, Status.Committed);
        _requireNotOpen(campaign);
        _checkReason(reason, EXPLANATION_LIMIT);
        version = ++entry.termsVersion;
        emit CampaignAmended(campaign, version, terms, reason);
    }

    /// @inheritdoc ICampaigns
    function abandon(uint32 campaign, string calldata reason) external onlyRole(Roles.OPERATOR) {
        Entry storage entry = _entries[campaign];
        Status status = entry.status;
        require(status != Status.None, UnknownCampaign(campaign));
        require(status < Status.Closed, CampaignStatusNotAllowed(campaign, status));
        _checkReason(reason, EXPLANATION_LIMIT);
        Draw storage current = _draws[campaign];
        bool isOpen = current.operatorCommitment != bytes32(0);
        if (isOpen) _discard(campaign, entry, current, DiscardReason.CampaignAbandoned);
        entry.status = Status.Abandoned;
        emit CampaignAbandoned(campaign, reason);
    }

    /// @inheritdoc ICampaigns
    function joinDraw(uint32 campaign, bytes32 commitment) external {
        _join(campaign, msg.sender, commitment);
    }

    /// @inheritdoc ICampaigns
    function joinDrawFor(
        uint32 campaign,
        address party,
        bytes32 commitment,
        uint64 deadline,
        bytes calldata signature
    ) external {
        require(block.timestamp <= deadline, DrawSignatureExpired(deadline));
        uint32 round = _draws[campaign].round;
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(DRAW_PARTY_TYPEHASH, campaign, round, commitment, deadline))
        );
        bool isSigned = SignatureChecker.isValidSignatureNowCalldata(party, digest, signature);
        require(isSigned, DrawSignatureInvalid(party));
        _join(campaign, party, commitment);
    }

    /// @inheritdoc ICampaigns
    function openDraw(uint32 campaign, bytes32 commitment) external onlyRole(Roles.OPERATOR) {
        Entry storage entry = _load(campaign, Status.Committed);
        _requireNotOpen(campaign);
        require(commitment != bytes32(0), EmptyCommitment(campaign));
        Draw storage current = _draws[campaign];
        current.operator = msg.sender;
        current.operatorCommitment = commitment;
        _setDrawBlock(entry, current);
        emit DrawOpened(
            campaign,
            current.round,
            msg.sender,
            commitment,
            current.party,
            entry.drawBlock,
            current.deadline
        );
    }

    /// @inheritdoc ICampaigns
    function reveal(uint32 campaign, bytes32 secret) external returns (bool drawn) {
        Entry storage entry = _load(campaign, Status.Committed);
        Draw storage current = _openDraw(campaign);
        uint64 deadline = current.deadline;
        require(block.timestamp <= deadline, RevealOver(campaign, deadline));
        require(secret != bytes32(0), SecretWrong(campaign));
        bytes32 blockHash = _keepBlockHash(campaign, entry, current);
        bool isOperator = keccak256(abi.encode(secret, current.operator)) == current.operatorCommitment;
        address revealer = isOperator ? current.operator : current.party;
        if (isOperator) {
            require(current.operatorSecret == bytes32(0), SecretAlreadyRevealed(campaign, revealer));
            current.operatorSecret = secret;
        } else {
            require(keccak256(abi.encode(secret, revealer)) == current.partyCommitment, SecretWrong(campaign));
            require(current.partySecret == bytes32(0), SecretAlreadyRevealed(campaign, revealer));
            current.partySecret = secret;
        }
        emit SecretRevealed(campaign, current.round, revealer, secret);
        bool isLast =
            current.operatorSecret != bytes32(0) && (current.party == address(0) || current.partySecret != bytes32(0));
        if (isLast) _draw(campaign, entry, current, blockHash);
        return isLast;
    }

    /// @inheritdoc ICampaigns
    function postponeDraw(uint32 campaign) external {
        Entry storage entry = _load(campaign, Status.Committed);
        Draw storage current = _openDraw(campaign);
        uint64 drawBlock = entry.drawBlock;
        bool isLost = block.number > drawBlock && current.blockHash == bytes32(0);
        require(isLost && BlockHashes.hashOf(drawBlock) == bytes32(0), DrawBlockNotLost(campaign, drawBlock));
        _discard(campaign, entry, current, DiscardReason.BlockLost);
        _setDrawBlock(entry, current);
        emit DrawPostponed(campaign, entry.drawBlock, current.deadline);
    }

    /// @inheritdoc ICampaigns
    function repeatDraw(uint32 campaign) external {
        Entry storage entry = _load(campaign, Status.Committed);
        Draw storage current = _openDraw(campaign);
        (uint64 deadline, uint32 round, address party) = (current.deadline, current.round, current.party);
        require(block.timestamp > deadline, RevealNotOver(campaign, deadline));
        bool operatorWithheld = current.operatorWithheld;
        if (current.operatorSecret == bytes32(0)) {
            operatorWithheld = true;
            emit SecretWithheld(campaign, round, current.operator);
        }
        if (party != address(0) && current.partySecret == bytes32(0)) {
            hasWithheld[campaign][party] = true;
            emit SecretWithheld(campaign, round, party);
        }
        _discard(campaign, entry, current, DiscardReason.SecretWithheld);
        entry.drawBlock = 0;
        delete _draws[campaign];
        current.round = round + 1;
        current.operatorWithheld = operatorWithheld;
    }

    /// @inheritdoc ICampaigns
    function replace(
        uint32 campaign,
        Group group,
        uint32 dropped,
        DropReason reason,
        bytes32 evidenceHash
    ) external onlyRole(Roles.OPERATOR) returns (uint32 replacement) {
        Entry storage entry = _load(campaign, Status.Drawn);
        bool isReference = group == Group.Reference;
        replacement = isReference ? entry.referenceDrawnTo : entry.interventionDrawnTo;
        (uint64 place, uint256 mark) = _requireNotEnded(entry, campaign, group, dropped);
        require(evidenceHash != bytes32(0), EvidenceMissing());
        require(mark & CLAIMED == 0, PositionHasClaim(campaign, group, dropped));
        uint32 size = isReference ? entry.referenceSize : entry.interventionSize;
        require(replacement < size, FrameExhausted(campaign, group, size));
        _setMark(place, DROPPED);
        if (isReference) entry.referenceDrawnTo = replacement + 1;
        else entry.interventionDrawnTo = replacement + 1;
        emit HouseholdReplaced(campaign, group, dropped, replacement, reason, evidenceHash);
    }

    /// @inheritdoc ICampaigns
    function markMissing(
        uint32 campaign,
        Group group,
        uint32 position,
        DropReason reason,
        bytes32 evidenceHash
    ) external onlyRole(Roles.OPERATOR) {
        Entry storage entry = _load(campaign, Status.Drawn);
        (uint64 place, uint256 mark) = _requireNotEnded(entry, campaign, group, position);
        require(reason != DropReason.Other || evidenceHash != bytes32(0), EvidenceMissing());
        require(_standingClaims(place, mark) == 0, PositionHasClaim(campaign, group, position));
        _setMark(place, MISSING);
        --entry.openPositions;
        if (group == Group.Reference) ++entry.referenceMissing;
        else ++entry.interventionMissing;
        emit PositionMissing(campaign, group, position, reason, evidenceHash);
    }

    // Claims.

    /// @inheritdoc ICampaigns
    function record(uint96 claim, bytes32 claimHash, bytes32 credentialHash) external onlyRole(Roles.OPERATOR) {
        bytes4 refusal = _record(claim, claimHash, credentialHash);
        if (refusal != bytes4(0)) _revertWith(refusal, claim, credentialHash);
    }

    /// @inheritdoc ICampaigns
    function recordMany(ClaimRecord[] calldata records) external onlyRole(Roles.OPERATOR) {
        for (uint256 i = 0; i < records.length; ++i) {
            ClaimRecord calldata order = records[i];
            bytes4 refusal = _record(order.claim, order.claimHash, order.credentialHash);
            if (refusal != bytes4(0)) emit KptClaimRefused(i, order.claim, refusal);
        }
    }

    /// @inheritdoc ICampaigns
    function revoke(uint96 claim, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        _checkReason(reason, REASON_LIMIT);
        uint64 place = uint64(claim >> 32);
        uint256 mark = _markOf(place);
        require(_isRecorded(claim, mark), UnknownKptClaim(claim));
        require(!_revoked[claim], KptClaimAlreadyRevoked(claim));
        _revoked[claim] = true;
        uint32 campaign = uint32(claim >> 64);
        Entry storage entry = _entries[campaign];
        if (_isIntervention(claim)) --entry.interventionClaims;
        else --entry.referenceClaims;
        ++_claimCounts[place].revoked;
        if (_standingClaims(place, mark) == 0) ++entry.openPositions;
        emit KptClaimRevoked(claim, campaign, reason);
    }

    // Result.

    /// @inheritdoc ICampaigns
    function close(uint32 campaign, bytes32 resultHash) external onlyRole(Roles.OPERATOR) {
        Entry storage entry = _load(campaign, Status.Drawn);
        require(resultHash != bytes32(0), EmptyResultHash(campaign));
        uint24 endDay = entry.endDay;
        require(block.timestamp / 1 days > endDay, CampaignPeriodNotOver(campaign, endDay));
        uint32 open = entry.openPositions;
        require(open == 0, SampleIncomplete(campaign, open));
        entry.status = Status.Closed;
        entry.resultHash = resultHash;
        emit CampaignClosed(campaign, resultHash);
    }

    /// @inheritdoc ICampaigns
    function certify(uint32 campaign, uint32 certificate) external onlyRole(Roles.REGISTRAR) {
        Entry storage entry = _load(campaign, Status.Closed);
        require(entry.certificate == 0, CampaignAlreadyCertified(campaign, entry.certificate));
        require(entry.twoParties, DrawnByOneParty(campaign));
        uint32 open = entry.openPositions;
        require(open == 0, SampleIncomplete(campaign, open));
        _checkMissing(campaign, Group.Reference, entry.referenceMissing, entry.sampleSize);
        _checkMissing(campaign, Group.Intervention, entry.interventionMissing, entry.sampleSize);
        uint32 linked = certificateCampaign[certificate];
        require(linked == 0, CertificateLinked(certificate, linked));
        ICertificates.Certificate memory registered = CERTIFICATES.certificateOf(certificate);
        require(registered.status != ICertificates.Status.None, ICertificates.UnknownCertificate(certificate));
        require(registered.plan == entry.plan, CertificatePlanDiffers(certificate, registered.plan, entry.plan));
        entry.certificate = certificate;
        certificateCampaign[certificate] = campaign;
        emit CampaignCertified(campaign, certificate);
    }

    // Views.

    /// @inheritdoc ICampaigns
    function campaignOf(uint32 campaign) external view returns (Campaign memory) {
        Entry storage entry = _entries[campaign];
        return
            Campaign({
                plan: entry.plan,
                startDay: entry.startDay,
                endDay: entry.endDay,
                sampleSize: entry.sampleSize,
                status: entry.status,
                drawBlock: entry.drawBlock,
                seed: entry.seed,
                referenceFrame: Frame(entry.referenceRoot, entry.referenceSize),
                interventionFrame: Frame(entry.interventionRoot, entry.interventionSize),
                drawnTo: [entry.referenceDrawnTo, entry.interventionDrawnTo],
                referenceClaims: entry.referenceClaims,
                interventionClaims: entry.interventionClaims,
                openPositions: entry.openPositions,
                missing: [entry.referenceMissing, entry.interventionMissing],
                termsVersion: entry.termsVersion,
                twoParties: entry.twoParties,
                resultHash: entry.resultHash,
                certificate: entry.certificate
            });
    }

    /// @inheritdoc ICampaigns
    function drawOf(uint32 campaign) external view returns (Draw memory) {
        return _draws[campaign];
    }

    /// @inheritdoc ICampaigns
    function recordOf(uint96 claim) external view returns (bool recorded, bool revoked) {
        return (_isRecorded(claim), _revoked[claim]);
    }

    /// @inheritdoc ICampaigns
    function positionOf(
        uint32 campaign,
        Group group,
        uint32 position
    ) external view returns (bool dropped, bool hasClaim, bool missing) {
        if (position > POSITION_MASK) return (false, false, false);
        uint256 mark = _markOf(_placeOf(campaign, group, position));
        return (mark & DROPPED != 0, mark & CLAIMED != 0, mark & MISSING != 0);
    }

    // Internals.

    function _join(uint32 campaign, address party, bytes32 commitment) private {
        _load(campaign, Status.Committed);
        _requireNotOpen(campaign);
        Draw storage current = _draws[campaign];
        require(current.party == address(0), DrawHasSecondParty(campaign, current.party));
        bool hasRole =
            PARTICIPANTS.holds(Roles.REGISTRAR, party) ||
                PARTICIPANTS.holds(Roles.EVALUATOR, party) ||
                PARTICIPANTS.holds(Roles.GUARDIAN, party);
        bool isAllowed = hasRole && !PARTICIPANTS.holds(Roles.OPERATOR, party) && !hasWithheld[campaign][party];
        require(isAllowed, SecondPartyNotAllowed(campaign, party));
        require(commitment != bytes32(0), EmptyCommitment(campaign));
        current.party = party;
        current.partyCommitment = commitment;
        emit DrawJoined(campaign, current.round, party, commitment);
    }

    function _requireNotOpen(uint32 campaign) private view {
        require(_draws[campaign].operatorCommitment == bytes32(0), DrawIsOpen(campaign));
    }

    function _openDraw(uint32 campaign) private view returns (Draw storage current) {
        current = _draws[campaign];
        require(current.operatorCommitment != bytes32(0), DrawNotOpen(campaign));
    }

    function _setDrawBlock(Entry storage entry, Draw storage current) private {
        entry.drawBlock = uint64(block.number + DRAW_DELAY);
        current.deadline = uint64(block.timestamp + REVEAL_TIME);
    }

    /// @dev Nobody draws twice unseen: each draw that was open and does not count is in an event.
    function _discard(uint32 campaign, Entry storage entry, Draw storage current, DiscardReason reason) private {
        emit DrawDiscarded(
            campaign,
            current.round,
            reason,
            current.operator,
            current.party,
            entry.drawBlock,
            entry.seed
        );
    }

    /// @dev The first reveal keeps the hash, so that the later one cannot let it go out of reach.
    function _keepBlockHash(
        uint32 campaign,
        Entry storage entry,
        Draw storage current
    ) private returns (bytes32 blockHash) {
        blockHash = current.blockHash;
        if (blockHash != bytes32(0)) return blockHash;
        uint64 drawBlock = entry.drawBlock;
        require(block.number > drawBlock, DrawTooEarly(campaign, drawBlock));
        blockHash = BlockHashes.hashOf(drawBlock);
        require(blockHash != bytes32(0), DrawBlockLost(campaign, drawBlock));
        current.blockHash = blockHash;
    }

    function _draw(uint32 campaign, Entry storage entry, Draw storage current, bytes32 blockHash) private {
        bytes32 seed = keccak256(
            abi.encode(
                blockHash,
                campaign,
                entry.referenceRoot,
                entry.interventionRoot,
                current.operatorSecret,
                current.partySecret
            )
        );
        bool twoParties = current.party != address(0) && !current.operatorWithheld;
        entry.seed = seed;
        entry.status = Status.Drawn;
        entry.twoParties = twoParties;
        entry.referenceDrawnTo = entry.sampleSize;
        entry.interventionDrawnTo = entry.sampleSize;
        entry.openPositions = 2 * entry.sampleSize;
        emit CampaignDrawn(campaign, entry.drawBlock, blockHash, seed, twoParties);
    }

    function _checkRegistration(NewCampaign calldata registration) private view {
        require(bytes(registration.campaignId).length > 0, EmptyCampaignId());
        uint32 plan = registration.plan;
        require(PARTICIPANTS.planOf(plan).exists, IParticipants.UnknownPlan(plan));
        (uint24 startDay, uint24 endDay) = (registration.startDay, registration.endDay);
        require(startDay <= endDay, CampaignPeriodInvalid(startDay, endDay));
        _checkFrame(Group.Reference, registration.referenceFrame);
        _checkFrame(Group.Intervention, registration.interventionFrame);
        bytes32 root = registration.referenceFrame.root;
        require(root != registration.interventionFrame.root, FramesEqual(root));
        uint32 smallest = registration.referenceFrame.size;
        if (registration.interventionFrame.size < smallest) smallest = registration.interventionFrame.size;
        uint32 sampleSize = registration.sampleSize;
        require(sampleSize > 0 && sampleSize <= smallest, SampleSizeInvalid(sampleSize, smallest));
    }

    function _checkFrame(Group group, Frame calldata frame) private pure {
        bool isValid = frame.root != bytes32(0) && frame.size > 0 && frame.size <= POSITION_MASK;
        require(isValid, FrameInvalid(group, frame.root, frame.size));
    }

    function _checkReason(string calldata reason, uint256 limit) private pure {
        uint256 length = bytes(reason).length;
        require(length > 0 && length <= limit, ReasonInvalid(length, limit));
    }

    function _checkMissing(uint32 campaign, Group group, uint32 missing, uint32 sampleSize) private pure {
        require(missing * SAMPLE_PER_MISSING <= sampleSize, TooManyMissing(campaign, group, missing, sampleSize));
    }

    /// @dev The position is in the sample or a replacement, and was neither dropped nor marked as missing.
    function _requireNotEnded(
        Entry storage entry,
        uint32 campaign,
        Group group,
        uint32 position
    ) private view returns (uint64 place, uint256 mark) {
        uint32 drawnTo = group == Group.Reference ? entry.referenceDrawnTo : entry.interventionDrawnTo;
        require(position < drawnTo, PositionNotDrawn(campaign, group, position, drawnTo));
        place = _placeOf(campaign, group, position);
        mark = _markOf(place);
        require(mark & DROPPED == 0, PositionDropped(campaign, group, position));
        require(mark & MISSING == 0, PositionIsMissing(campaign, group, position));
    }

    /// @return refusal Selector of the error that `record` reverts with; zero when the claim was recorded.
    function _record(uint96 claim, bytes32 claimHash, bytes32 credentialHash) private returns (bytes4 refusal) {
        if (uint32(claim) == 0) return KptClaimNumberZero.selector;
        if (claimHash == bytes32(0) || credentialHash == bytes32(0)) return KptClaimHashEmpty.selector;
        uint32 campaign = uint32(claim >> 64);
        Entry storage entry = _entries[campaign];
        Status status = entry.status;
        if (status != Status.Drawn) {
            return status == Status.None ? UnknownCampaign.selector : CampaignStatusNotAllowed.selector;
        }
        bool isIntervention = _isIntervention(claim);
        uint256 drawnTo = isIntervention ? entry.interventionDrawnTo : entry.referenceDrawnTo;
        if (((claim >> 32) & POSITION_MASK) >= drawnTo) return PositionNotDrawn.selector;
        uint64 place = uint64(claim >> 32);
        uint256 mark = _markOf(place);
        if (mark & (DROPPED | MISSING) != 0) {
            return mark & DROPPED != 0 ? PositionDropped.selector : PositionIsMissing.selector;
        }
        if (_isRecorded(claim, mark)) return KptClaimExists.selector;
        if (credentialClaim[credentialHash] != 0) return KptCredentialUsed.selector;
        if (!isIntervention) ++entry.referenceClaims;
        else if (entry.referenceClaims == 0) return NoReferenceClaims.selector;
        else ++entry.interventionClaims;
        if (mark & CLAIMED == 0 || _standingClaims(place, mark) == 0) --entry.openPositions;
        credentialClaim[credentialHash] = claim;
        bool isFirst = uint32(claim) == 1;
        if (!isFirst) {
            _isLaterRecorded[claim] = true;
            ++_claimCounts[place].later;
        }
        uint256 added = isFirst ? CLAIMED | FIRST_CLAIM : CLAIMED;
        if (mark | added != mark) _setMark(place, added);
        emit KptClaimRecorded(claim, campaign, claimHash, credentialHash);
    }

    /// @dev The facts of a refusal, which a batch does not report.
    function _revertWith(bytes4 refusal, uint96 claim, bytes32 credentialHash) private view {
        uint32 campaign = uint32(claim >> 64);
        Entry storage entry = _entries[campaign];
        Group group = _isIntervention(claim) ? Group.Intervention : Group.Reference;
        uint32 position = uint32((claim >> 32) & POSITION_MASK);
        require(refusal != KptClaimNumberZero.selector, KptClaimNumberZero(claim));
        require(refusal != KptClaimHashEmpty.selector, KptClaimHashEmpty(claim));
        require(refusal != UnknownCampaign.selector, UnknownCampaign(campaign));
        require(refusal != CampaignStatusNotAllowed.selector, CampaignStatusNotAllowed(campaign, entry.status));
        uint32 drawnTo = group == Group.Reference ? entry.referenceDrawnTo : entry.interventionDrawnTo;
        require(refusal != PositionNotDrawn.selector, PositionNotDrawn(campaign, group, position, drawnTo));
        require(refusal != PositionDropped.selector, PositionDropped(campaign, group, position));
        require(refusal != PositionIsMissing.selector, PositionIsMissing(campaign, group, position));
        require(refusal != KptClaimExists.selector, KptClaimExists(claim));
        uint96 earlier = credentialClaim[credentialHash];
        require(refusal != KptCredentialUsed.selector, KptCredentialUsed(credentialHash, earlier));
        revert NoReferenceClaims(campaign);
    }

    function _load(uint32 campaign, Status wanted) private view returns (Entry storage entry) {
        entry = _entries[campaign];
        Status status = entry.status;
        require(status != Status.None, UnknownCampaign(campaign));
        require(status == wanted, CampaignStatusNotAllowed(campaign, status));
    }

    function _isRecorded(uint96 claim) private view returns (bool) {
        return _isRecorded(claim, _markOf(uint64(claim >> 32)));
    }

    /// @dev Claims of a position that were recorded and not revoked.
    function _standingClaims(uint64 place, uint256 mark) private view returns (uint256) {
        ClaimCount storage count = _claimCounts[place];
        uint256 recorded = count.later;
        if (mark & FIRST_CLAIM != 0) ++recorded;
        return recorded - count.revoked;
    }

    /// @param mark Of the claim's place.
    function _isRecorded(uint96 claim, uint256 mark) private view returns (bool) {
        return uint32(claim) == 1 ? mark & FIRST_CLAIM != 0 : _isLaterRecorded[claim];
    }

    function _setMark(uint64 place, uint256 mark) private {
        _marks[place >> 6] |= mark << ((place & 63) * MARK_BITS);
    }

    function _markOf(uint64 place) private view returns (uint256) {
        return (_marks[place >> 6] >> ((place & 63) * MARK_BITS)) & MARK_MASK;
    }

    function _placeOf(uint32 campaign, Group group, uint32 position) private pure returns (uint64) {
        return (uint64(campaign) << 32) | (uint64(uint8(group)) << 31) | position;
    }

    function _isIntervention(uint96 claim) private pure returns (bool) {
        return (claim >> 63) & 1 == 1;
    }
}
