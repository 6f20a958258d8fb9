// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IPool
/// @notice Buys CARBON from suppliers and sells it to implementers for a stablecoin at a fixed price with a fee, which is
/// the spread. No curve, no oracle.
/// @dev Both tokens have 6 decimals. Price is stablecoin base units for one CARBON (10^6 base units). Who sells CARBON
/// gets the price less the fee, who buys it pays the price and the fee. Rounding is in the pool's favour, so that a round
/// trip never gains. The pool credits what it really received. Reserves are counted, so a donation changes nothing until
/// it is taken in. Price, fee, caps and treasury: council, through the timelock. Pause and lower caps: guardian, immediately.
///
/// ORDERS. A swap may be ordered by EIP-712 (ERC-1271 too) and relayed by anyone. Types:
/// SellOrder(uint32 supplier,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline) and
/// BuyOrder(uint32 implementer,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline); domain "Hearth Pool", "1".
/// A nonce settles once for each supplier or implementer, in any order, whatever account it has then. Its account cancels
/// an order by its nonce. The permit is ERC-2612's of the token that comes in, for
/// `amountIn` until the order's deadline; one that fails is ignored, and the allowance decides.
interface IPool {
    enum Side {
        Sale,
        Purchase
    }

    /// @notice Micro-CARBON; 0 means nothing may be swapped, type(uint64).max no bound. Net amounts are bounded in either
    /// direction: a sale makes room for a purchase and the other way.
    /// @param perTransaction For one swap.
    /// @param perWindow Net for a window of `WINDOW` seconds.
    /// @param perDay Net for any 24 hours.
    /// @param lifetime Net for ever.
    /// @param perSupplierDay What one supplier may sell in any 24 hours, at most 274 877 906 CARBON where it is bounded.
    struct Caps {
        uint64 perTransaction;
        uint64 perWindow;
        uint64 perDay;
        uint64 lifetime;
        uint64 perSupplierDay;
    }

    /// @notice What the caps for net flows leave, micro-CARBON; type(uint64).max for no bound.
    struct Room {
        uint64 window;
        uint64 day;
        uint64 lifetime;
    }

    /// @param party Supplier of a sale, implementer of a purchase.
    /// @param amountIn CARBON of a sale, stablecoin of a purchase; base units.
    struct SwapOrder {
        uint32 party;
        uint64 amountIn;
        uint64 minOut;
        uint256 nonce;
        uint64 deadline;
    }

    /// @param v 0 for none: the allowance was given before.
    struct Permit {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice A supplier sold CARBON to the pool, by itself, by an order or by a claim.
    event CarbonSold(
        uint32 indexed supplier,
        address indexed account,
        uint64 carbonAmount,
        uint64 stablecoinAmount,
        uint64 price
    );
    /// @notice An implementer bought CARBON from the pool.
    event CarbonBought(
        uint32 indexed implementer,
        address indexed account,
        uint64 carbonAmount,
        uint64 stablecoinAmount,
        uint64 price
    );
    /// @notice What the pool pays for next, by CarbonSold, has been burned: it is of a revoked certificate, and the reserve does
    /// not grow by it.
    event CarbonBurned(uint32 indexed supplier, uint64 carbonAmount);
    /// @notice An order's nonce was used.
    event OrderSettled(address indexed account, uint256 nonce);
    /// @notice A party cancelled the order with a nonce.
    /// @param party Supplier of a sale, implementer of a purchase.
    event OrderCancelled(Side indexed side, uint32 indexed party, uint256 nonce);
    /// @notice The price from the next block on, stablecoin base units for one CARBON.
    event PriceChanged(uint64 price);
    /// @notice The fee, ten-thousandths.
    /// @param fee Ten-thousandths of the stablecoin amount.
    event FeeChanged(uint16 fee);
    /// @notice The current caps, micro-CARBON.
    event CapsChanged(Caps caps);
    /// @notice The guardian paused the pool, or the council reopened it.
    event PauseChanged(bool paused, address indexed by);
    /// @notice CARBON or stablecoin without a sale: what was taken in, and what an indebted supplier brought against its debt.
    event ReserveReceived(address indexed from, address indexed token, uint256 amount);
    /// @notice The council took tokens out of the pool, in the token's base units.
    event TreasuryWithdrawn(address indexed token, address indexed to, uint256 amount);

    /// @notice The pool is paused.
    error PoolPaused();
    /// @notice The reserve is less than what is asked for.
    error PoolDry(uint256 reserve, uint256 wanted);
    /// @notice The amount is more than one swap may have, micro-CARBON.
    error TransactionCapExceeded(uint64 amount, uint64 cap);
    /// @notice The cap of an hour leaves less, micro-CARBON.
    error WindowCapExceeded(uint64 amount, uint64 left);
    /// @notice The cap of 24 hours leaves less, micro-CARBON.
    error DayCapExceeded(uint64 amount, uint64 left);
    /// @notice The cap of the pool's lifetime leaves less, micro-CARBON.
    error LifetimeCapExceeded(uint64 amount, uint64 left);
    /// @notice The supplier's cap of 24 hours leaves less, micro-CARBON.
    error SupplierCapExceeded(uint32 supplier, uint64 amount, uint64 left);
    /// @notice The amount buys or sells nothing.
    error AmountTooSmall(uint64 amount);
    /// @notice The swap would give less than the least that was asked for.
    error OutputBelowMinimum(uint64 amountOut, uint64 minOut);
    /// @notice The deadline is over, seconds since 1970.
    error DeadlinePassed(uint64 deadline);
    /// @notice The caller is not the claims contract.
    error OnlyClaims(address caller);
    /// @notice The account is not that of the supplier, or the supplier is suspended.
    error NotSupplier(address caller, uint32 supplier);
    /// @notice Less of a token arrived than was due, in its base units.
    error PaymentMissing(uint256 expected, uint256 received);
    /// @notice The price differs by more than the bound, in ten-thousandths, from that of the last quiet day.
    error PriceChangeTooLarge(uint64 price, uint64 newPrice, uint16 bound);
    /// @notice The guardian may only lower a cap.
    error CapNotLowered();
    /// @notice The price is zero.
    error ZeroPrice();
    /// @notice The fee is above its bound, ten-thousandths.
    error FeeTooLarge(uint16 fee, uint16 bound);
    /// @notice The account is not that of the implementer.
    error NotImplementer(address account, uint32 implementer);
    /// @notice The nonce was used or cancelled.
    error NonceUsed(address account, uint256 nonce);
    /// @notice The account did not sign exactly this.
    error SignatureInvalid(address account);

    /// @notice Pays a supplier for CARBON that the claims contract has just had sent here. Claims only.
    function payClaim(uint32 supplier, address account, uint64 carbonAmount) external returns (uint64 stablecoinAmount);
    /// @notice Pays a supplier for CARBON of a revoked certificate, which has been burned. Claims only.
    function payBurnedClaim(
        uint32 supplier,
        address account,
        uint64 carbonAmount
    ) external returns (uint64 stablecoinAmount);
    /// @notice Says whether a supplier owes CARBON for claims found invalid, so that its sales ask how much. Claims only.
    function setDebtor(uint32 supplier, bool inDebt) external;
    /// @notice Sells CARBON of an authorised supplier's account (approved before). A supplier in debt is paid net: what it
    /// owes stays in the pool unpaid, and `minOut` is compared with what is paid for the rest.
    function sellCarbon(
        uint32 supplier,
        uint64 carbonAmount,
        uint64 minOut,
        uint64 deadline
    ) external returns (uint64 stablecoinAmount);
    /// @notice The same by the supplier's order. Anyone.
    function sellCarbonFor(
        SwapOrder calldata order,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (uint64 stablecoinAmount);
    /// @notice Buys CARBON for all of a stablecoin amount of an implementer's account (approved before).
    function buyCarbon(
        uint32 implementer,
        uint64 stablecoinAmount,
        uint64 minOut,
        uint64 deadline
    ) external returns (uint64 carbonAmount);
    /// @notice The same by the implementer's order. Anyone.
    function buyCarbonFor(
        SwapOrder calldata order,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (uint64 carbonAmount);
    /// @notice Cancels the order with a nonce, so that it never settles; while paused too. The party's account.
    function cancelOrder(Side side, uint32 party, uint256 nonce) external;
    /// @notice Counts into the reserves what has arrived without a sale (sweeps, set-offs, deposits). Anyone.
    function takeIn() external;

    /// @notice What selling an amount gives now, after the fee. Stablecoin base units for micro-CARBON.
    function quoteSell(uint64 carbonAmount) external view returns (uint64 stablecoinAmount);
    /// @notice What a purchase for this stablecoin amount gives.
    function quoteBuy(uint64 stablecoinAmount) external view returns (uint64 carbonAmount);
    /// @notice The least stablecoin amount that buys at least this much CARBON.
    function quoteBuyFor(uint64 carbonAmount) external view returns (uint64 stablecoinAmount);
    /// @notice What may be bought now: the least of every cap and the reserve.
    function buyableNow() external view returns (uint64 carbonAmount);
    /// @notice What may be sold now: the least of every cap and the reserve.
    function sellableNow(uint32 supplier) external view returns (uint64 carbonAmount);

    /// @notice What the caps leave now for sales to the pool, and for purchases from it, whether it is paused or not.
    function capsLeft() external view returns (Room memory sale, Room memory purchase);
    /// @notice What the supplier's own cap leaves now.
    function supplierDayLeft(uint32 supplier) external view returns (uint64 carbonAmount);

    /// @notice In the block of the change who sells gets the lower of both prices, who buys pays the higher. Council.
    function setPrice(uint64 price) external;
    /// @notice Changes the fee, ten-thousandths, at most `FEE_BOUND`. Council.
    function setFee(uint16 fee) external;
    /// @notice Changes the caps, micro-CARBON. Council.
    function setCaps(Caps calldata caps) external;
    /// @notice Lowers at least one cap and raises none, micro-CARBON. Guardian.
    function lowerCaps(Caps calldata caps) external;
    /// @notice Stops swaps, payments of claims, cancelling, reissuing and sweeping. Guardian.
    function pause() external;
    /// @notice Ends a pause. Council.
    function unpause() external;
    /// @notice Takes tokens out of the pool, in the token's base units; while paused too. Council.
    function withdraw(address token, address to, uint256 amount) external;

    /// @notice The price from the block after its change on.
    function price() external view returns (uint64);
    /// @notice Ten-thousandths.
    function fee() external view returns (uint16);
    /// @notice Whether an order with this nonce was settled or cancelled.
    function isNonceUsed(Side side, uint32 party, uint256 nonce) external view returns (bool);
    /// @notice The current caps, micro-CARBON.
    function caps() external view returns (Caps memory);
    /// @notice Whether the pool is paused.
    function paused() external view returns (bool);
    /// @notice CARBON that the pool sells, micro-CARBON.
    function carbonReserve() external view returns (uint256);
    /// @notice Stablecoin that the pool pays from, base units.
    function stablecoinReserve() external view returns (uint256);
    /// @notice The token that the pool pays in.
    function stablecoin() external view returns (address);
}
