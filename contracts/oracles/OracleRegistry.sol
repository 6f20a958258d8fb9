// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Permits} from "../shared/Permits.sol";
import {Roles} from "../shared/Roles.sol";
import {IOracleRegistry} from "./IOracleRegistry.sol";

/// @title OracleRegistry
/// @notice See `IOracleRegistry`.
/// @dev
/// DEPOSITS. Counted, never read off a balance: what arrives must be exactly what is deposited, and after every payment the
/// contract still holds all other deposits, or it reverts.
///
/// Warning: a stablecoin whose balances shrink by themselves would break the last sentence; do not use one.
contract OracleRegistry is IOracleRegistry, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice Seconds between the request for a deposit and its withdrawal.
    uint64 public constant WITHDRAWAL_DELAY = 1 days;
    /// @notice Most claims of one settlement.
    uint256 public constant MAX_CLAIMS = 500;
    /// @notice Longest DID, bytes.
    uint256 public constant MAX_DID = 256;
    /// @notice Longest URL, bytes.
    uint256 public constant MAX_URL = 512;

    /// @notice Knows who an operator is.
    IParticipants public immutable PARTICIPANTS;
    IERC20 private immutable STABLECOIN;

    /// @inheritdoc IOracleRegistry
    uint256 public totalDeposits;
    mapping(bytes32 oracle => Oracle) private _oracles;
    mapping(bytes32 oracle => mapping(address payer => Account)) private _accounts;
    /// @inheritdoc IOracleRegistry
    mapping(bytes32 oracle => mapping(bytes32 claimId => bool)) public isPaid;

    constructor(IParticipants participants, IERC20 stablecoin_) {
        PARTICIPANTS = participants;
        STABLECOIN = stablecoin_;
    }

    modifier onlyOwner(bytes32 oracle) {
        _requireOwner(oracle);
        _;
    }

    // Oracles.

    /// @inheritdoc IOracleRegistry
    function register(Registration calldata registration, address owner) external returns (bytes32 oracle) {
        PARTICIPANTS.requireRole(Roles.OPERATOR, msg.sender);
        _checkDid(registration.did);
        _checkUrls(registration.apiUrl, registration.wsUrl, registration.agentCardUri);
        _checkAccount(owner);
        _checkAccount(registration.payee);
        oracle = keccak256(bytes(registration.did));
        require(_oracles[oracle].owner == address(0), OracleExists(oracle));
        _oracles[oracle] = Oracle({
            did: registration.did,
            apiUrl: registration.apiUrl,
            wsUrl: registration.wsUrl,
            agentCardUri: registration.agentCardUri,
            price: registration.price,
            freeMessages: registration.freeMessages,
            allowance: registration.allowance,
            owner: owner,
            pendingOwner: address(0),
            settler: registration.settler,
            payee: registration.payee
        });
        emit OracleRegistered(oracle, owner, registration);
    }

    /// @inheritdoc IOracleRegistry
    function setUrls(
        bytes32 oracle,
        string calldata apiUrl,
        string calldata wsUrl,
        string calldata agentCardUri
    ) external onlyOwner(oracle) {
        _checkUrls(apiUrl, wsUrl, agentCardUri);
        Oracle storage entry = _oracles[oracle];
        (entry.apiUrl, entry.wsUrl, entry.agentCardUri) = (apiUrl, wsUrl, agentCardUri);
        emit OracleUrlsChanged(oracle, apiUrl, wsUrl, agentCardUri);
    }

    /// @inheritdoc IOracleRegistry
    function setTerms(bytes32 oracle, uint64 price, uint32 freeMessages, uint32 allowance) external onlyOwner(oracle) {
        Oracle storage entry = _oracles[oracle];
        (entry.price, entry.freeMessages, entry.allowance) = (price, freeMessages, allowance);
        emit OracleTermsChanged(oracle, price, freeMessages, allowance);
    }

    /// @inheritdoc IOracleRegistry
    function setAccounts(bytes32 oracle, address settler, address payee) external onlyOwner(oracle) {
        _checkAccount(payee);
        (_oracles[oracle].settler, _oracles[oracle].payee) = (settler, payee);
        emit OracleAccountsChanged(oracle, settler, payee);
    }

    /// @inheritdoc IOracleRegistry
    function transferOwnership(bytes32 oracle, address newOwner) external onlyOwner(oracle) {
        _oracles[oracle].pendingOwner = newOwner;
        emit OracleOwnershipOffered(oracle, msg.sender, newOwner);
    }

    /// @inheritdoc IOracleRegistry
    function acceptOwnership(bytes32 oracle) external {
        Oracle storage entry = _oracles[oracle];
        require(entry.pendingOwner == msg.sender, NotPendingOwner(oracle, msg.sender));
        emit OracleOwnershipTransferred(oracle, entry.owner, msg.sender);
        (entry.owner, entry.pendingOwner) = (msg.sender, address(0));
    }

    // Deposits.

    /// @inheritdoc IOracleRegistry
    function contractOracle(bytes32 oracle, bytes32 user, uint64 amount, uint64 maxPrice) external nonReentrant {
        _contract(oracle, user, amount, maxPrice);
    }

    /// @inheritdoc IOracleRegistry
    function contractOracleWithPermit(
        bytes32 oracle,
        bytes32 user,
        uint64 amount,
        uint64 maxPrice,
        Permit calldata permit
    ) external nonReentrant {
        Permits.tryPermit(STABLECOIN, msg.sender, amount, permit.deadline, permit.v, permit.r, permit.s);
        _contract(oracle, user, amount, maxPrice);
    }

    /// @inheritdoc IOracleRegistry
    function requestWithdrawal(bytes32 oracle, uint64 amount) external {
        Account storage account = _accounts[oracle][msg.sender];
        require(amount <= account.balance, WithdrawalTooLarge(amount, account.balance));
        uint64 withdrawableAt = amount == 0 ? 0 : uint64(block.timestamp) + WITHDRAWAL_DELAY;
        (account.withdrawing, account.withdrawableAt) = (amount, withdrawableAt);
        emit WithdrawalRequested(oracle, msg.sender, amount, withdrawableAt);
    }

    /// @inheritdoc IOracleRegistry
    function withdraw(bytes32 oracle) external nonReentrant returns (uint64 amount) {
        Account storage account = _accounts[oracle][msg.sender];
        require(account.withdrawing > 0, NoWithdrawal(oracle, msg.sender));
        require(block.timestamp >= account.withdrawableAt, WithdrawalTooEarly(account.withdrawableAt));
        amount = uint64(Math.min(account.withdrawing, account.balance));
        account.balance -= amount;
        (account.withdrawing, account.withdrawableAt) = (0, 0);
        emit DepositWithdrawn(oracle, msg.sender, amount, account.balance);
        _pay(msg.sender, amount);
    }

    // Settlement.

    /// @inheritdoc IOracleRegistry
    function settle(bytes32 oracle, Claim[] calldata claims) external nonReentrant returns (uint256 paid) {
        Oracle storage entry = _oracles[oracle];
        bool isAllowed = entry.owner != address(0) && (msg.sender == entry.settler || msg.sender == entry.owner);
        require(isAllowed, NotSettler(oracle, msg.sender));
        require(claims.length <= MAX_CLAIMS, TooManyClaims(claims.length, MAX_CLAIMS));
        address payee = entry.payee;
        for (uint256 i = 0; i < claims.length; ++i) {
            paid += _settleOne(oracle, payee, claims[i]);
        }
        _pay(payee, paid);
    }

    // Views.

    /// @inheritdoc IOracleRegistry
    function oracleByDid(string calldata did) external view returns (Oracle memory) {
        return _oracles[keccak256(bytes(did))];
    }

    /// @inheritdoc IOracleRegistry
    function oracleOf(bytes32 oracle) external view returns (Oracle memory) {
        return _oracles[oracle];
    }

    /// @inheritdoc IOracleRegistry
    function accountOf(bytes32 oracle, address payer) external view returns (Account memory) {
        return _accounts[oracle][payer];
    }

    /// @inheritdoc IOracleRegistry
    function arePaid(bytes32 oracle, bytes32[] calldata claimIds) external view returns (bool[] memory paid) {
        paid = new bool[](claimIds.length);
        for (uint256 i = 0; i < claimIds.length; ++i) {
            paid[i] = isPaid[oracle][claimIds[i]];
        }
    }

    /// @inheritdoc IOracleRegistry
    function stablecoin() external view returns (address) {
        return address(STABLECOIN);
    }

    // Internals.

    function _contract(bytes32 oracle, bytes32 user, uint64 amount, uint64 maxPrice) private {
        Oracle storage entry = _oracles[oracle];
        require(entry.owner != address(0), UnknownOracle(oracle));
        require(entry.price <= maxPrice, PriceNotAccepted(entry.price, maxPrice));
        Account storage account = _accounts[oracle][msg.sender];
        account.balance += amount;
        (account.acceptedPrice, account.user) = (maxPrice, user);
        totalDeposits += amount;
        emit OracleContracted(oracle, msg.sender, user, amount, maxPrice, account.balance);
        if (amount == 0) return;
        uint256 before = STABLECOIN.balanceOf(address(this));
        STABLECOIN.safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = STABLECOIN.balanceOf(address(this)) - before;
        require(received == amount, DepositMissing(amount, received));
    }

    /// @return paid The claim's amount; 0 when it is refused or was paid before.
    function _settleOne(bytes32 oracle, address payee, Claim calldata claim) private returns (uint64 paid) {
        (bytes32 claimId, address payer, uint64 amount) = (claim.claimId, claim.payer, claim.amount);
        if (isPaid[oracle][claimId]) return 0;
        Account storage account = _accounts[oracle][payer];
        bytes4 reason;
        if (amount == 0 || amount > account.acceptedPrice) reason = ClaimAmountInvalid.selector;
        else if (amount > account.balance) reason = DepositTooSmall.selector;
        if (reason != 0) {
            emit ClaimRefused(oracle, claimId, payer, amount, reason);
            return 0;
        }
        isPaid[oracle][claimId] = true;
        account.balance -= amount;
        emit ClaimPaid(oracle, claimId, payer, payee, amount);
        return amount;
    }

    /// @dev Effects on accounts precede it. A token that takes more than the amount is refused.
    function _pay(address to, uint256 amount) private {
        if (amount == 0) return;
        totalDeposits -= amount;
        uint256 before = STABLECOIN.balanceOf(to);
        STABLECOIN.safeTransfer(to, amount);
        uint256 received = STABLECOIN.balanceOf(to) - before;
        require(received >= amount, SettlementShort(amount, received));
        uint256 held = STABLECOIN.balanceOf(address(this));
        require(held >= totalDeposits, SettlementShort(totalDeposits, held));
    }

    function _requireOwner(bytes32 oracle) private view {
        address owner = _oracles[oracle].owner;
        require(owner != address(0), UnknownOracle(oracle));
        require(owner == msg.sender, NotOracleOwner(oracle, msg.sender));
    }

    function _checkAccount(address account) private view {
        require(account != address(0) && account != address(this), OracleAccountInvalid(account));
    }

    function _checkDid(string calldata did) private pure {
        uint256 length = bytes(did).length;
        require(length > 0 && length <= MAX_DID, OracleTextInvalid(length, MAX_DID));
    }

    function _checkUrls(string calldata apiUrl, string calldata wsUrl, string calldata agentCardUri) private pure {
        require(bytes(apiUrl).length > 0, OracleTextInvalid(0, MAX_URL));
        _checkLength(apiUrl);
        _checkLength(wsUrl);
        _checkLength(agentCardUri);
    }

    function _checkLength(string calldata url) private pure {
        require(bytes(url).length <= MAX_URL, OracleTextInvalid(bytes(url).length, MAX_URL));
    }
}
