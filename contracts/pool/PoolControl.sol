// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {Flows} from "./Flows.sol";
import {IPool} from "./IPool.sol";
import {SupplierDays} from "./SupplierDays.sol";

/// @title PoolControl
/// @notice Price, fee, pause and caps of the pool, and who may change them; see `IPool`.
/// @dev
/// CAPS. Measured in micro-CARBON: one swap, net flows of a rolling window, a UTC day and a lifetime, and one supplier's
/// day. Flows count CARBON that comes in.
///
/// PRICE. A breaker refuses a price that differs by more than `PRICE_BOUND` from the one in force when the last quiet
/// `PRICE_PERIOD` (one without a change) ended.
abstract contract PoolControl is IPool {
    using Flows for Flows.Window;
    using Flows for Flows.Day;
    using SupplierDays for SupplierDays.Store;

    /// @dev One slot. `anchor` was the price when the last quiet period ended.
    struct Pricing {
        uint64 price;
        uint64 anchor;
        uint40 changedAt;
        bool paused;
        uint16 fee;
    }

    /// @notice Length of the rolling window, seconds.
    uint256 public constant WINDOW = 1 hours;
    /// @notice Largest change of price in a period, ten-thousandths.
    uint16 public constant PRICE_BOUND = 2_000;
    /// @notice Seconds without a change after which the bound is measured from the present price.
    uint256 public constant PRICE_PERIOD = 1 days;
    /// @notice Largest fee, ten-thousandths: it is part of what a swap costs, so it is bounded like the price.
    uint16 public constant FEE_BOUND = 1_000;
    /// @dev Ten-thousandths in a whole.
    uint256 internal constant BASIS = 10_000;

    IParticipants public immutable PARTICIPANTS;

    Pricing internal _pricing;
    Caps private _caps;
    Flows.Window private _window;
    Flows.Day private _day;
    SupplierDays.Store private _supplierDays;

    constructor(IParticipants participants, uint64 initialPrice, Caps memory initialCaps) {
        require(initialPrice > 0, ZeroPrice());
        PARTICIPANTS = participants;
        _pricing = Pricing(initialPrice, initialPrice, uint40(block.timestamp), false, 0);
        _caps = initialCaps;
        emit PriceChanged(initialPrice);
        emit CapsChanged(initialCaps);
    }

    modifier onlyRole(uint64 role) {
        PARTICIPANTS.requireRole(role, msg.sender);
        _;
    }

    modifier whenNotPaused() {
        require(!_pricing.paused, PoolPaused());
        _;
    }

    /// @inheritdoc IPool
    function setPrice(uint64 newPrice) external onlyRole(Roles.COUNCIL) {
        require(newPrice > 0, ZeroPrice());
        Pricing memory pricing = _pricing;
        if (block.timestamp >= pricing.changedAt + PRICE_PERIOD) pricing.anchor = pricing.price;
        uint256 change = newPrice > pricing.anchor ? newPrice - pricing.anchor : pricing.anchor - newPrice;
        bool bounded = change * BASIS <= uint256(pricing.anchor) * PRICE_BOUND;
        require(bounded, PriceChangeTooLarge(pricing.price, newPrice, PRICE_BOUND));
        _pricing = Pricing(newPrice, pricing.anchor, uint40(block.timestamp), pricing.paused, pricing.fee);
        emit PriceChanged(newPrice);
    }

    /// @inheritdoc IPool
    function setFee(uint16 newFee) external onlyRole(Roles.COUNCIL) {
        require(newFee <= FEE_BOUND, FeeTooLarge(newFee, FEE_BOUND));
        _pricing.fee = newFee;
        emit FeeChanged(newFee);
    }

    /// @inheritdoc IPool
    function setCaps(Caps calldata newCaps) external onlyRole(Roles.COUNCIL) {
        _setCaps(newCaps);
    }

    /// @inheritdoc IPool
    function lowerCaps(Caps calldata newCaps) external onlyRole(Roles.GUARDIAN) {
        Caps memory old = _caps;
        bool noneRaised =
            newCaps.perTransaction <= old.perTransaction &&
                newCaps.perWindow <= old.perWindow &&
                newCaps.perDay <= old.perDay &&
                newCaps.lifetime <= old.lifetime &&
                newCaps.perSupplierDay <= old.perSupplierDay;
        bool isSame = keccak256(abi.encode(newCaps)) == keccak256(abi.encode(old));
        require(noneRaised && !isSame, CapNotLowered());
        _setCaps(newCaps);
    }

    /// @inheritdoc IPool
    function pause() external onlyRole(Roles.GUARDIAN) {
        _pricing.paused = true;
        emit PauseChanged(true, msg.sender);
    }

    /// @inheritdoc IPool
    function unpause() external onlyRole(Roles.COUNCIL) {
        _pricing.paused = false;
        emit PauseChanged(false, msg.sender);
    }

    /// @inheritdoc IPool
    function price() external view returns (uint64) {
        return _pricing.price;
    }

    /// @inheritdoc IPool
    function fee() external view returns (uint16) {
        return _pricing.fee;
    }

    /// @inheritdoc IPool
    function caps() external view returns (Caps memory) {
        return _caps;
    }

    /// @inheritdoc IPool
    function paused() external view returns (bool) {
        return _pricing.paused;
    }

    /// @inheritdoc IPool
    function capsLeft() public view returns (Room memory sale, Room memory purchase) {
        Caps memory bounds = _caps;
        Flows.Window memory window = _window.asOf(block.timestamp, WINDOW);
        Flows.Day memory day = _day.asOf(block.timestamp);
        sale = Room({
            window: Flows.left(bounds.perWindow, window.peak()),
            day: Flows.left(bounds.perDay, day.net),
            lifetime: Flows.left(bounds.lifetime, day.lifetime)
        });
        purchase = Room({
            window: Flows.left(bounds.perWindow, window.reversed().peak()),
            day: Flows.left(bounds.perDay, -int256(day.net)),
            lifetime: Flows.left(bounds.lifetime, -int256(day.lifetime))
        });
    }

    /// @inheritdoc IPool
    function supplierDayLeft(uint32 supplier) public view returns (uint64) {
        return Flows.left(_caps.perSupplierDay, int256(uint256(_soldToday(supplier))));
    }

    // Internals.

    /// @dev Counts a sale within every cap.
    function _useSellCaps(uint32 supplier, uint64 amount) internal {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, _within(amount));
        uint64 left = Flows.left(bounds.perSupplierDay, int256(uint256(_soldToday(supplier))));
        require(amount <= left, SupplierCapExceeded(supplier, amount, left));
        _supplierDays.add(supplier, block.timestamp / 1 days, amount);
    }

    /// @dev Counts a purchase within every cap.
    function _useBuyCaps(uint64 amount) internal {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, -_within(amount));
    }

    /// @param flow CARBON that comes in; negative when it goes out.
    function _useFlows(Caps memory bounds, int64 flow) private {
        bool isOut = flow < 0;
        uint64 amount = uint64(isOut ? -flow : flow);
        Flows.Window memory window = _window.asOf(block.timestamp, WINDOW);
        uint64 left = Flows.left(bounds.perWindow, (isOut ? window.reversed() : window).peak());
        require(amount <= left, WindowCapExceeded(amount, left));
        Flows.Day memory day = _day.asOf(block.timestamp);
        left = Flows.left(bounds.perDay, isOut ? -int256(day.net) : int256(day.net));
        require(amount <= left, DayCapExceeded(amount, left));
        left = Flows.left(bounds.lifetime, isOut ? -int256(day.lifetime) : int256(day.lifetime));
        require(amount <= left, LifetimeCapExceeded(amount, left));
        window.current += flow;
        day.net += flow;
        day.lifetime += flow;
        _window = window;
        _day = day;
    }

    /// @dev The most CARBON that every cap lets out now.
    function _roomToBuy() internal view returns (uint256) {
        if (_pricing.paused) return 0;
        (, Room memory room) = capsLeft();
        return _least(room);
    }

    /// @dev The most CARBON that every cap lets a supplier bring in now.
    function _roomToSell(uint32 supplier) internal view returns (uint256) {
        if (_pricing.paused) return 0;
        (Room memory room, ) = capsLeft();
        return Math.min(_least(room), supplierDayLeft(supplier));
    }

    function _least(Room memory room) private view returns (uint256) {
        return Math.min(Math.min(_caps.perTransaction, room.window), Math.min(room.day, room.lifetime));
    }

    function _within(uint64 amount) private pure returns (int64) {
        return SafeCast.toInt64(int256(uint256(amount)));
    }

    function _setCaps(Caps calldata newCaps) private {
        _caps = newCaps;
        emit CapsChanged(newCaps);
    }

    function _soldToday(uint32 supplier) private view returns (uint64) {
        return _supplierDays.soldOn(supplier, block.timestamp / 1 days);
    }
}
