// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {HostileToken} from "../../../contracts/mocks/HostileToken.sol";
import {IOracleRegistry} from "../../../contracts/oracles/IOracleRegistry.sol";
import {OracleRegistry} from "../../../contracts/oracles/OracleRegistry.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @title OracleHandler
/// @notice Offers every payment of the registry to the fuzzer, valid and invalid, and counts the expected results.
contract OracleHandler is Cheats {
    uint256 private constant PAYERS = 4;
    uint64 private constant MOST = 1_000_000;

    OracleRegistry public registry;
    HostileToken public token;
    bytes32[2] public oracles;
    string public violation;
    uint256 public received;
    uint256 public withdrawn;
    uint256 public settled;
    mapping(bytes32 oracle => mapping(bytes32 claimId => uint256)) public paidFor;
    mapping(bytes32 oracle => mapping(address payer => uint256)) public balanceOf;
    mapping(bytes32 oracle => mapping(address payer => uint256)) public acceptedBy;
    mapping(bytes32 oracle => mapping(address payer => uint256)) public requestedAt;
    mapping(bytes32 action => uint256 count) public done;

    uint256 private _time = 1_000_000;
    address private _owner = address(0xA1);
    address private _settler = address(0xA2);
    address private _payee = address(0xA3);

    constructor() {
        vm.warp(_time);
        Participants participants = new Participants(address(this));
        participants.grantRole(Roles.OPERATOR, address(this), 0);
        token = new HostileToken();
        registry = new OracleRegistry(participants, IERC20(address(token)));
        string[2] memory dids = ["did:a", "did:b"];
        for (uint256 i = 0; i < 2; ++i) {
            oracles[i] = registry.register(
                IOracleRegistry.Registration(dids[i], "u", "", "", 100, 0, 0, _settler, _payee),
                _owner
            );
        }
        for (uint256 i = 0; i < PAYERS; ++i) {
            token.mint(payerAt(i), 1e18);
            vm.prank(payerAt(i));
            token.approve(address(registry), type(uint256).max);
        }
    }

    modifier action(string memory name) {
        vm.warp(_time);
        _;
        ++done[keccak256(bytes(name))];
    }

    function payerAt(uint256 seed) public pure returns (address) {
        return address(uint160(0xB0 + (seed % PAYERS)));
    }

    function pass(uint256 time) external action("pass") {
        _time += bound(time, 1, 1 days);
    }

    function changePrice(uint256 which, uint256 price) external action("changePrice") {
        vm.prank(_owner);
        registry.setTerms(oracles[which % 2], uint64(bound(price, 0, 1_000)), 0, 0);
    }

    function deposit(uint256 which, uint256 who, uint256 amount, uint256 maxPrice) external action("deposit") {
        (bytes32 oracle, address payer) = (oracles[which % 2], payerAt(who));
        uint64 sent = uint64(bound(amount, 0, MOST));
        maxPrice = bound(maxPrice, 0, 2_000);
        vm.prank(payer);
        registry.contractOracle(oracle, bytes32(0), sent, uint64(maxPrice));
        acceptedBy[oracle][payer] = maxPrice;
        received += sent;
        balanceOf[oracle][payer] += sent;
    }

    function request(uint256 which, uint256 who, uint256 amount) external action("request") {
        (bytes32 oracle, address payer) = (oracles[which % 2], payerAt(who));
        vm.prank(payer);
        registry.requestWithdrawal(oracle, uint64(bound(amount, 0, MOST)));
        requestedAt[oracle][payer] = _time;
    }

    function withdraw(uint256 which, uint256 who) external action("withdraw") {
        (bytes32 oracle, address payer) = (oracles[which % 2], payerAt(who));
        uint256 before = token.balanceOf(payer);
        vm.prank(payer);
        uint256 amount = registry.withdraw(oracle);
        if (_time < requestedAt[oracle][payer] + 1 days) violation = "Y4: withdrawn before the delay was over";
        if (token.balanceOf(payer) != before + amount) violation = "Y1: the withdrawal did not arrive";
        withdrawn += amount;
        balanceOf[oracle][payer] -= amount;
    }

    function settle(uint256 which, uint256 seed, uint256 amount, bool isStranger) external action("settle") {
        bytes32 oracle = oracles[which % 2];
        IOracleRegistry.Claim[] memory claims = new IOracleRegistry.Claim[](3);
        for (uint256 i = 0; i < 3; ++i) {
            uint256 id = (seed >> (i * 8)) % 32;
            claims[i] = IOracleRegistry.Claim(
                bytes32(id),
                payerAt(seed >> (100 + i * 8)),
                uint64(bound(amount >> (i * 16), 0, 1_500))
            );
        }
        uint256 had = token.balanceOf(_payee);
        vm.prank(isStranger ? address(0xC1) : _settler);
        uint256 paid = registry.settle(oracle, claims);
        if (isStranger) violation = "Y5: an account without the right settled";
        if (token.balanceOf(_payee) != had + paid) violation = "Y1: the payee did not get what was paid";
        settled += paid;
        _count(oracle, claims, paid);
    }

    /// @dev The model: in order, a new claim within the accepted price and the deposit is paid whole, and no other.
    function _count(bytes32 oracle, IOracleRegistry.Claim[] memory claims, uint256 paid) private {
        uint256 sum;
        for (uint256 i = 0; i < claims.length; ++i) {
            (bytes32 id, address payer, uint256 cost) = (claims[i].claimId, claims[i].payer, claims[i].amount);
            bool isDue = cost > 0 && cost <= acceptedBy[oracle][payer] && cost <= balanceOf[oracle][payer];
            if (isDue && paidFor[oracle][id] == 0) {
                paidFor[oracle][id] = cost;
                balanceOf[oracle][payer] -= cost;
                sum += cost;
            }
        }
        for (uint256 i = 0; i < claims.length; ++i) {
            bytes32 id = claims[i].claimId;
            if (registry.isPaid(oracle, id) != (paidFor[oracle][id] > 0)) violation = "Y2: paid is not what is due";
        }
        if (sum != paid) violation = "Y2, Y3: what was paid is not what was due";
    }
}

/// @title OracleRegistryTest
/// @notice Properties Y1 to Y5 of test/contracts/INVARIANTS.md.
contract OracleRegistryTest is Cheats {
    OracleHandler private _handler;

    function setUp() public {
        _handler = new OracleHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_payments() public view {
        require(bytes(_handler.violation()).length == 0, _handler.violation());
        OracleRegistry registry = _handler.registry();
        uint256 total = registry.totalDeposits();
        require(_handler.token().balanceOf(address(registry)) == total, "Y1: held is not what is deposited");
        uint256 out = _handler.settled() + _handler.withdrawn();
        require(_handler.received() == total + out, "Y1: deposits + paid + withdrawn is not what was received");
        uint256 sum;
        for (uint256 i = 0; i < 8; ++i) {
            (bytes32 oracle, address payer) = (_handler.oracles(i % 2), _handler.payerAt(i / 2));
            uint256 balance = registry.accountOf(oracle, payer).balance;
            require(balance == _handler.balanceOf(oracle, payer), "Y2: a deposit is not what its payer left in it");
            sum += balance;
        }
        require(sum == total, "Y1: the deposits do not add up");
    }

    function test_handlerReachesTheEnd() public {
        _handler.deposit(0, 0, 999_999, 2_000);
        _handler.settle(0, 0x030201, 100 | (200 << 16) | (300 << 32), false);
        require(_handler.settled() > 0, "nothing was settled");
        uint256 paid = _handler.settled();
        _handler.settle(0, 0x030201, 100 | (200 << 16) | (300 << 32), false);
        require(_handler.settled() == paid, "Y2: paid again");
        _handler.request(0, 0, 1_000);
        _handler.pass(1 days - 1);
        _handler.withdraw(0, 0);
        require(_handler.withdrawn() == 1_000, "nothing was withdrawn");
        invariant_payments();
    }

    /// @notice Whatever the amounts, a claim is paid whole and once, or not at all.
    function testFuzz_settlesOnce(uint64 deposit, uint64 price, uint64 amount) public {
        OracleRegistry registry = _handler.registry();
        (bytes32 oracle, address payer) = (_handler.oracles(0), _handler.payerAt(1));
        deposit = uint64(bound(deposit, 0, 1e18));
        price = uint64(bound(price, 100, type(uint64).max));
        vm.prank(payer);
        registry.contractOracle(oracle, bytes32(0), deposit, price);
        IOracleRegistry.Claim[] memory claims = new IOracleRegistry.Claim[](2);
        claims[0] = IOracleRegistry.Claim("one", payer, amount);
        claims[1] = claims[0];
        bool isPayable = amount > 0 && amount <= price && amount <= deposit;
        vm.startPrank(address(0xA2));
        uint256 paid = registry.settle(oracle, claims);
        require(paid == (isPayable ? amount : 0), "Y2: paid is not the claim's amount");
        require(registry.settle(oracle, claims) == 0, "Y2: paid again");
        vm.stopPrank();
    }
}
