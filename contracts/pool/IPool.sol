// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IPool
/// @notice Buys CARBON from suppliers for a stablecoin at a fixed price. No curve, no oracle.
/// @dev Both tokens have 6 decimals. Price is stablecoin base units for one CARBON (10^6 base units). Rounding is in the
/// pool's favour. The pool credits what it really received. Reserves are counted, so a donation changes nothing until
/// it is taken in. Price, caps and treasury: council, through the timelock. Pause and lower caps: guardian, at once.
interface IPool {
    /// @notice Micro-CARBON; 0 means nothing may be sold, type(uint64).max no bound.
    /// @param perTransaction For one sale.
    /// @param perWindow Net for a window of `WINDOW` seconds.
    /// @param perDay Net for a UTC day.
    /// @param lifetime Net for ever.
    /// @param perSupplierDay For one supplier in a UTC day.
    struct Caps {
        uint64 perTransaction;
        uint64 perWindow;
        uint64 perDay;
        uint64 lifetime;
        uint64 perSupplierDay;
    }

    event CarbonSold(
        uint32 indexed supplier,
        address indexed account,
        uint64 carbonAmount,
        uint64 stablecoinAmount,
        uint64 price
    );
    event PriceChanged(uint64 price);
    event CapsChanged(Caps caps);
    event PauseChanged(bool paused, address indexed by);
    event ReserveReceived(address indexed from, address indexed token, uint256 amount);
    event TreasuryWithdrawn(address indexed token, address indexed to, uint256 amount);

    error PoolPaused();
    error PoolDry(uint256 reserve, uint256 wanted);
    error TransactionCapExceeded(uint64 amount, uint64 cap);
    error WindowCapExceeded(uint64 amount, uint64 left);
    error DayCapExceeded(uint64 amount, uint64 left);
    error LifetimeCapExceeded(uint64 amount, uint64 left);
    error SupplierCapExceeded(uint32 supplier, uint64 amount, uint64 left);
    error AmountTooSmall(uint64 amount);
    error OutputBelowMinimum(uint64 amountOut, uint64 minOut);
    error DeadlinePassed(uint64 deadline);
    error OnlyClaims(address caller);
    error NotSupplier(address caller, uint32 supplier);
    error PaymentMissing(uint256 expected, uint256 received);
    error PriceChangeTooLarge(uint64 price, uint64 newPrice, uint16 bound);
    error CapNotLowered();
    error ZeroPrice();

    /// @notice Pays a supplier for CARBON that the claims contract has just sent here. Claims only.
    function payClaim(uint32 supplier, address account, uint64 carbonAmount) external returns (uint64 stablecoinAmount);
    /// @notice Sells CARBON of an authorised supplier's account (approved before).
    function sellCarbon(
        uint32 supplier,
        uint64 carbonAmount,
        uint64 minOut,
        uint64 deadline
    ) external returns (uint64 stablecoinAmount);
    /// @notice Counts into the reserves what has arrived without a sale (sweeps, set-offs, deposits). Anyone.
    function takeIn() external;

    function quoteSell(uint64 carbonAmount) external view returns (uint64 stablecoinAmount);
    /// @notice What may be sold now: the least of every cap and the reserve.
    function sellableNow(uint32 supplier) external view returns (uint64 carbonAmount);

    function setPrice(uint64 price) external;
    function setCaps(Caps calldata caps) external;
    function lowerCaps(Caps calldata caps) external;
    function pause() external;
    function unpause() external;
    function withdraw(address token, address to, uint256 amount) external;

    function price() external view returns (uint64);
    function caps() external view returns (Caps memory);
    function paused() external view returns (bool);
    function carbonReserve() external view returns (uint256);
    function stablecoinReserve() external view returns (uint256);
    function stablecoin() external view returns (address);
}
