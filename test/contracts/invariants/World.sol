// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {BufferHandler} from "./BufferHandler.sol";
import {CouncilHandler} from "./CouncilHandler.sol";
import {DebtHandler} from "./DebtHandler.sol";
import {OrderHandler} from "./OrderHandler.sol";
import {RedeemHandler} from "./RedeemHandler.sol";

/// @title World
/// @notice Every action of everyone who takes part, on all contracts together.
abstract contract World is RedeemHandler, DebtHandler, OrderHandler, BufferHandler, CouncilHandler {}
