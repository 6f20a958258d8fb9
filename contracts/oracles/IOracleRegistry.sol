// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IOracleRegistry
/// @notice Where conversational oracles are found, what a message of theirs costs, and the deposits that pay for it.
/// @dev
/// ORACLES. An oracle is the keccak-256 of its DID. An operator enters it and names its owner, because no chain can see who
/// holds a DID; from then on everything is the owner's. The settler is the key of the running service: it can settle and
/// nothing else.
///
/// DEPOSITS. A payer contracts an oracle: it deposits, says the highest price that it accepts, and for whom it pays. What it
/// can lose to an oracle is its deposit, at most the accepted price a claim: a price that is raised later touches it only
/// once it accepts that one.
///
/// SETTLEMENT. A claim stands for one message. It is paid once, from its payer's deposit to the oracle's payee. Anyone who
/// asks for a deposit back waits `WITHDRAWAL_DELAY`; claims are settled from it meanwhile.
///
/// UNITS. Amounts are stablecoin base units (6 decimals).
///
/// Warning: the chain does not see messages. A settler can claim for messages that were never sent, within the payer's deposit
/// and accepted price; payers choose both by how far they trust the oracle. Nobody else can move a deposit, no role either.
interface IOracleRegistry {
    /// @param did 1 to 256 bytes.
    /// @param apiUrl Where clients reach it; URLs have 512 bytes at most, and may be empty but for this one.
    /// @param wsUrl Where its sockets are; empty: at `apiUrl`.
    /// @param agentCardUri What other agents read of it.
    /// @param price Of one message; 0 is free.
    /// @param freeMessages How many messages of each user cost nothing.
    /// @param allowance How many unpaid claims a user may have before the next message is refused.
    /// @param settler May settle; zero for only the owner.
    /// @param payee Is paid by settlements.
    struct Registration {
        string did;
        string apiUrl;
        string wsUrl;
        string agentCardUri;
        uint64 price;
        uint32 freeMessages;
        uint32 allowance;
        address settler;
        address payee;
    }

    /// @param pendingOwner To whom ownership is offered; zero for nobody.
    struct Oracle {
        string did;
        string apiUrl;
        string wsUrl;
        string agentCardUri;
        uint64 price;
        uint32 freeMessages;
        uint32 allowance;
        address owner;
        address pendingOwner;
        address settler;
        address payee;
    }

    /// @param balance What is deposited and not spent.
    /// @param withdrawing Part of it that is asked back.
    /// @param withdrawableAt Seconds since 1970; when it may be taken.
    /// @param acceptedPrice The most that one claim may take.
    /// @param user Whose messages it pays: zero for the payer's own DID (did:pkh, did:ethr), else the keyed hash that the oracle
    /// gives its user.
    struct Account {
        uint64 balance;
        uint64 withdrawing;
        uint64 withdrawableAt;
        uint64 acceptedPrice;
        bytes32 user;
    }

    /// @param claimId Unique for its oracle.
    struct Claim {
        bytes32 claimId;
        address payer;
        uint64 amount;
    }

    /// @notice An ERC-2612 permit of the deposit for this contract; `v` 0 for none.
    struct Permit {
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice An operator entered an oracle.
    event OracleRegistered(bytes32 indexed oracle, address indexed owner, Registration registration);
    /// @notice The owner changed where the oracle is.
    event OracleUrlsChanged(bytes32 indexed oracle, string apiUrl, string wsUrl, string agentCardUri);
    /// @notice The owner changed what a message costs, stablecoin base units, and what is free.
    event OracleTermsChanged(bytes32 indexed oracle, uint64 price, uint32 freeMessages, uint32 allowance);
    /// @notice The owner changed who settles and who is paid.
    event OracleAccountsChanged(bytes32 indexed oracle, address settler, address payee);
    /// @notice The owner offered the oracle to an account, which has to accept.
    event OracleOwnershipOffered(bytes32 indexed oracle, address indexed owner, address indexed pendingOwner);
    /// @notice The oracle has a new owner.
    event OracleOwnershipTransferred(bytes32 indexed oracle, address indexed from, address indexed to);
    /// @notice A payer deposited stablecoin and accepted a price, base units.
    /// @param amount What was deposited now; 0 when only the price was accepted again.
    event OracleContracted(
        bytes32 indexed oracle,
        address indexed payer,
        bytes32 indexed user,
        uint64 amount,
        uint64 acceptedPrice,
        uint64 balance
    );
    /// @notice A payer asked for its deposit, base units.
    event WithdrawalRequested(bytes32 indexed oracle, address indexed payer, uint64 amount, uint64 withdrawableAt);
    /// @notice A payer took its deposit back, base units.
    event DepositWithdrawn(bytes32 indexed oracle, address indexed payer, uint64 amount, uint64 balance);
    /// @notice A claim was paid from its payer's deposit, base units.
    event ClaimPaid(
        bytes32 indexed oracle,
        bytes32 indexed claimId,
        address indexed payer,
        address payee,
        uint64 amount
    );
    /// @notice Emitted for a claim of a batch that cannot be paid now; the others of the batch stand.
    /// @param reason Selector of `ClaimAmountInvalid` or `DepositTooSmall`.
    event ClaimRefused(
        bytes32 indexed oracle,
        bytes32 indexed claimId,
        address indexed payer,
        uint64 amount,
        bytes4 reason
    );

    /// @notice A text is empty where it may not be, or longer than its bound, bytes.
    error OracleTextInvalid(uint256 length, uint256 limit);
    /// @notice The oracle is entered.
    error OracleExists(bytes32 oracle);
    /// @notice No oracle has that hash.
    error UnknownOracle(bytes32 oracle);
    /// @notice An account of the oracle is zero or the registry itself.
    error OracleAccountInvalid(address account);
    /// @notice The caller does not own the oracle.
    error NotOracleOwner(bytes32 oracle, address caller);
    /// @notice The oracle was not offered to the caller.
    error NotPendingOwner(bytes32 oracle, address caller);
    /// @notice The caller is neither the oracle's settler nor its owner.
    error NotSettler(bytes32 oracle, address caller);
    /// @notice The price is above what the payer accepts, base units.
    error PriceNotAccepted(uint64 price, uint64 maxPrice);
    /// @notice Less stablecoin arrived than was to be deposited, base units.
    error DepositMissing(uint64 amount, uint256 received);
    /// @notice The payer has less than it asks for, base units.
    error WithdrawalTooLarge(uint64 amount, uint64 balance);
    /// @notice The payer has asked for nothing.
    error NoWithdrawal(bytes32 oracle, address payer);
    /// @notice The deposit can be taken back from that time on, seconds since 1970.
    error WithdrawalTooEarly(uint64 withdrawableAt);
    /// @notice There are more claims than one call settles.
    error TooManyClaims(uint256 count, uint256 limit);
    /// @notice The claim is for nothing, or for more than its payer accepted, base units.
    error ClaimAmountInvalid(uint64 amount, uint64 acceptedPrice);
    /// @notice The payer's deposit is less than the claim, base units.
    error DepositTooSmall(uint64 amount, uint64 balance);
    /// @notice Less stablecoin left than was to be paid, base units.
    error SettlementShort(uint256 expected, uint256 actual);

    /// @notice Enters an oracle.
    /// @dev Emits `OracleRegistered`. Requirements:
    /// - the caller is an operator
    /// - the DID is new; DID and URLs are within their lengths
    /// - neither owner nor payee is zero or this contract
    function register(Registration calldata registration, address owner) external returns (bytes32 oracle);

    /// @notice Changes where the oracle is. Owner.
    /// @dev Emits `OracleUrlsChanged`.
    function setUrls(
        bytes32 oracle,
        string calldata apiUrl,
        string calldata wsUrl,
        string calldata agentCardUri
    ) external;

    /// @notice Changes what messages cost. Deposits keep the price that they accepted. Owner.
    /// @dev Emits `OracleTermsChanged`.
    function setTerms(bytes32 oracle, uint64 price, uint32 freeMessages, uint32 allowance) external;

    /// @notice Changes who settles and who is paid. Owner.
    /// @dev Emits `OracleAccountsChanged`. The payee is neither zero nor this contract.
    function setAccounts(bytes32 oracle, address settler, address payee) external;

    /// @notice Offers the oracle to another owner; zero takes an offer back. Owner.
    /// @dev Emits `OracleOwnershipOffered`.
    function transferOwnership(bytes32 oracle, address newOwner) external;

    /// @notice Takes an offered oracle over. The offered owner.
    /// @dev Emits `OracleOwnershipTransferred`.
    function acceptOwnership(bytes32 oracle) external;

    /// @notice Contracts an oracle: deposits for a user's messages, at no more than `maxPrice` each. Again: adds to the deposit
    /// and accepts the price again; `amount` may be 0.
    /// @dev Emits `OracleContracted`. Requirements:
    /// - the oracle is registered, and its price no higher than `maxPrice`
    /// - the amount arrives in full (no fee on transfer)
    function contractOracle(bytes32 oracle, bytes32 user, uint64 amount, uint64 maxPrice) external;

    /// @notice The same with the token's permit; one that was used before does no harm, the allowance decides.
    function contractOracleWithPermit(
        bytes32 oracle,
        bytes32 user,
        uint64 amount,
        uint64 maxPrice,
        Permit calldata permit
    ) external;

    /// @notice Asks for unspent deposit back; a new request takes the place of the last, and its delay begins again. 0 takes the
    /// request back.
    /// @dev Emits `WithdrawalRequested`.
    function requestWithdrawal(bytes32 oracle, uint64 amount) external;

    /// @notice Takes what was asked for, or what settlements left of it.
    /// @dev Emits `DepositWithdrawn`. There is a request, and its delay is over.
    function withdraw(bytes32 oracle) external returns (uint64 amount);

    /// @notice Pays claims from their payers' deposits. A claim that was paid before is skipped.
    /// @dev Emits `ClaimPaid` or `ClaimRefused` for each other one. Requirements:
    /// - the caller is the oracle's settler or owner
    /// - no more than `MAX_CLAIMS` claims
    /// @return paid What the payee got.
    function settle(bytes32 oracle, Claim[] calldata claims) external returns (uint256 paid);

    /// @notice The oracle of a DID; all zero if there is none.
    function oracleByDid(string calldata did) external view returns (Oracle memory);
    /// @notice An oracle; all zero if there is none.
    function oracleOf(bytes32 oracle) external view returns (Oracle memory);
    /// @notice A payer's deposit with an oracle; all zero if there is none.
    function accountOf(bytes32 oracle, address payer) external view returns (Account memory);
    /// @notice Whether a claim was paid.
    function isPaid(bytes32 oracle, bytes32 claimId) external view returns (bool);
    /// @notice The same of many, in their order.
    function arePaid(bytes32 oracle, bytes32[] calldata claimIds) external view returns (bool[] memory paid);
    /// @notice All deposits together; the contract holds at least as much.
    function totalDeposits() external view returns (uint256);
    /// @notice The token of deposits.
    function stablecoin() external view returns (address);
}
