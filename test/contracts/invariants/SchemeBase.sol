// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Carbon} from "../../../contracts/carbon/Carbon.sol";
import {ICarbon} from "../../../contracts/carbon/ICarbon.sol";
import {Certificates} from "../../../contracts/certificates/Certificates.sol";
import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {Claims} from "../../../contracts/claims/Claims.sol";
import {CouncilTimelock} from "../../../contracts/governance/CouncilTimelock.sol";
import {Authorizations} from "../../../contracts/itmo/Authorizations.sol";
import {IAuthorizations} from "../../../contracts/itmo/IAuthorizations.sol";
import {IInvalidationBuffer} from "../../../contracts/itmo/IInvalidationBuffer.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {InvalidationBuffer} from "../../../contracts/itmo/InvalidationBuffer.sol";
import {Itmo} from "../../../contracts/itmo/Itmo.sol";
import {HostileToken} from "../../../contracts/mocks/HostileToken.sol";
import {WalletMock} from "../../../contracts/mocks/WalletMock.sol";
import {IParticipants} from "../../../contracts/participants/IParticipants.sol";
import {Participants} from "../../../contracts/participants/Participants.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {Pool} from "../../../contracts/pool/Pool.sol";
import {Roles} from "../../../contracts/shared/Roles.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {Vouchers} from "../../../contracts/vouchers/Vouchers.sol";
import {Cheats, ISafe} from "./Vm.sol";

/// @title SchemeBase
/// @notice Every contract, the council as a Safe 2 of 3 behind a timelock, and one account for each role.
abstract contract SchemeBase is Cheats {
    uint64 internal constant UNIT = 1e6;
    /// @dev Amounts are of the order of tonnes, so that CARBON can be converted.
    uint64 internal constant TONNE = 1e9;
    uint256 internal constant DELAY = 1 days;
    uint32 internal constant HOUSEHOLDS = 6;
    uint256 internal constant HOUSEHOLD_KEY = 1_000;
    uint256 internal constant SIGNER_KEY = 2_000;
    uint256 internal constant SUPPLIER_KEY = 3_000;
    uint256 internal constant IMPLEMENTER_KEY = 4_000;
    uint256 internal constant OPERATOR_KEY = 5_000;
    uint64 internal constant ITMO_CAP = 300;
    /// @dev The amount that one account may cancel and reissue, and that all may sweep, in a day.
    uint64 internal constant LIFECYCLE_CAP = 1_000 * TONNE;
    uint64 internal constant PIN_CAP = 100 * TONNE;
    /// @dev Whole CARBON that a supplier may redeem in a day without consent, under either plan.
    uint32 internal constant UNCONSENTED_CAP = 200_000;

    Participants public participants;
    Certificates public certificates;
    Carbon public carbon;
    Vouchers public vouchers;
    Claims public claims;
    Pool public pool;
    Itmo public itmo;
    Authorizations public authorizations;
    InvalidationBuffer public buffer;
    HostileToken public stablecoin;
    CouncilTimelock public timelock;
    ISafe public safe;

    address internal guardian = address(0xA1);
    address internal registrar = address(0xA2);
    address internal operator = vm.addr(OPERATOR_KEY);
    address internal evaluator = address(0xA4);
    address internal otherEvaluator = address(0xA5);
    address internal stranger = address(0xA7);
    address internal treasury = address(0xA8);
    /// @dev Index 0 is none; 1 signs with a key, 2 is a contract wallet, 3 is supplier and implementer in one.
    address[4] internal suppliers;
    address[4] internal implementers;
    /// @dev The contract wallets of supplier 2 and implementer 2.
    WalletMock[2] internal wallets;

    function deployScheme() internal {
        participants = new Participants(address(this));
        for (uint256 i = 0; i < 2; ++i)
            wallets[i] = new WalletMock(vm.addr((i == 0 ? SUPPLIER_KEY : IMPLEMENTER_KEY) + 2));
        suppliers = [address(0), vm.addr(SUPPLIER_KEY + 1), address(wallets[0]), vm.addr(SUPPLIER_KEY + 3)];
        implementers = [address(0), vm.addr(IMPLEMENTER_KEY + 1), address(wallets[1]), suppliers[3]];
        stablecoin = new HostileToken();
        deployCouncil();
        uint64 nonce = vm.getNonce(address(this));
        address[3] memory later = [predict(nonce + 2), predict(nonce + 3), predict(nonce + 4)];
        certificates = new Certificates(participants, IVouchers(later[0]));
        carbon = new Carbon(later[0]);
        vouchers = new Vouchers(participants, certificates, carbon, later[1], later[2], LIFECYCLE_CAP, PIN_CAP);
        claims = new Claims(participants, vouchers, carbon, IPool(later[2]), 150 * TONNE, 10 * TONNE);
        IPool.Caps memory caps = IPool.Caps(20 * TONNE, 25 * TONNE, 60 * TONNE, 600 * TONNE, 40 * TONNE);
        pool = new Pool(participants, carbon, IERC20(address(stablecoin)), address(claims), 20_000, caps);
        nonce = vm.getNonce(address(this));
        (later[0], later[1]) = (predict(nonce + 1), predict(nonce + 2));
        itmo = new Itmo(
            participants,
            carbon,
            certificates,
            IAuthorizations(later[0]),
            IInvalidationBuffer(later[1]),
            ITMO_CAP
        );
        authorizations = new Authorizations(participants, itmo);
        buffer = new InvalidationBuffer(participants, itmo, certificates, vouchers);
        populate();
        registerTerms();
        handOver();
    }

    function predict(uint64 nonce) private view returns (address) {
        return vm.computeCreateAddress(address(this), nonce);
    }

    function deployCouncil() private {
        address[] memory owners = new address[](3);
        for (uint256 i = 0; i < 3; ++i) owners[i] = vm.addr(SIGNER_KEY + i);
        bytes memory setup = abi.encodeCall(
            ISafe.setup,
            (owners, 2, address(0), "", address(0), address(0), 0, payable(address(0)))
        );
        ISafe factory = ISafe(deployPackaged("proxies/SafeProxyFactory.sol/SafeProxyFactory.json"));
        safe = ISafe(factory.createProxyWithNonce(deployPackaged("Safe.sol/Safe.json"), setup, 0));
        address[] memory council = new address[](1);
        council[0] = address(safe);
        timelock = new CouncilTimelock(DELAY, council, council, address(this), address(participants));
        timelock.grantRole(timelock.CANCELLER_ROLE(), guardian);
        timelock.renounceRole(bytes32(0), address(this));
    }

    /// @dev Deploys the compiled code of the Safe package, as the deployment does.
    function deployPackaged(string memory path) private returns (address deployed) {
        string memory folder = "node_modules/@safe-global/safe-smart-account/build/artifacts/contracts/";
        bytes memory code = vm.parseJsonBytes(vm.readFile(string.concat(folder, path)), ".bytecode");
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
    }

    function populate() private {
        participants.grantRole(Roles.GUARDIAN, guardian, 0);
        participants.grantRole(Roles.REGISTRAR, registrar, 0);
        participants.grantRole(Roles.OPERATOR, operator, 0);
        participants.grantRole(Roles.EVALUATOR, evaluator, 0);
        participants.grantRole(Roles.EVALUATOR, otherEvaluator, 0);
        participants.grantRole(Roles.LEDGER, address(vouchers), 0);
        participants.grantRole(Roles.CONVERTER, address(itmo), 0);
        participants.setUnconsentedCap(0, UNCONSENTED_CAP);
        vm.startPrank(registrar);
        for (uint256 i = 1; i <= 3; ++i) {
            participants.registerImplementer(string(abi.encode("implementer", i)), implementers[i], "I");
            participants.registerSupplier(string(abi.encode("supplier", i)), suppliers[i], "S", "R");
        }
        participants.registerProduct("stove", "Stove", "stove", "piece", 0, 0);
        participants.registerProduct("fuel", "Fuel", "fuel", "kg", 80 * TONNE, 0);
        string[] memory types = new string[](1);
        types[0] = "EmissionReductionCredential";
        participants.trustIssuer("did:verifier", types, 0, 0);
        registerPlan();
        vm.stopPrank();
        registerHouseholds();
        stablecoin.mint(address(pool), 1_000_000 * UNIT);
        pool.takeIn();
    }

    /// @dev Plan 1: product 2 only, a day for the claim, a third of the claims reviewed.
    function registerPlan() private {
        uint32[] memory products = new uint32[](1);
        products[0] = 2;
        participants.registerPlan(
            IParticipants.PlanRegistration(
                "P",
                1,
                1,
                2,
                24,
                3_333,
                false,
                UNCONSENTED_CAP,
                products,
                new string[](0),
                "{}"
            )
        );
    }

    function registerHouseholds() private {
        bytes32[] memory hashes = new bytes32[](HOUSEHOLDS);
        address[] memory accounts = new address[](HOUSEHOLDS);
        for (uint256 i = 0; i < HOUSEHOLDS; ++i) {
            hashes[i] = keccak256(abi.encode("household", i));
            accounts[i] = vm.addr(HOUSEHOLD_KEY + i);
        }
        vm.prank(operator);
        participants.registerHouseholds(hashes, accounts);
        vm.startPrank(evaluator);
        for (uint32 i = 0; i < HOUSEHOLDS; ++i) participants.confirmAccount(i + 1, accounts[i]);
        vm.stopPrank();
    }

    /// @dev Four authorizations under one approach, each of another purpose and first transfer, two with shares.
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
        (terms.authorizationId, terms.approach, terms.quantity) = (id, 1, 200);
        (terms.purpose, terms.firstTransfer) = (purpose, definition);
        (terms.omgeShare, terms.sopShare) = (omge, sop);
        vm.prank(registrar);
        itmo.registerAuthorization(terms);
    }

    function handOver() private {
        participants.grantRole(Roles.COUNCIL, address(timelock), 0);
        participants.renounceRole(Roles.COUNCIL, address(this));
    }

    function registration(
        uint256 number,
        uint32 plan,
        uint64 reduction,
        uint32 count
    ) internal pure returns (ICertificates.Registration memory r) {
        r.certificateId = string(abi.encode("CERT", number));
        r.activityId = "A";
        r.implementer = 1;
        r.plan = plan;
        // Two vintages; that of the first certificate is 2024.
        r.vintage = uint16(2024 - ((number >> 1) & 1));
        r.verifiedReduction = reduction;
        r.registry = "R";
        r.firstSerial = uint64(number * 10);
        r.lastSerial = uint64(number * 10 + 9);
        r.verifier = keccak256("did:verifier");
        r.credentialIssuedAt = 1;
        r.credentialHash = keccak256(abi.encode("credential", number));
        r.allocationCount = count;
    }

    /// @dev A vintage of the certificates, mostly 2024.
    function vintageOf(uint8 choice) internal pure returns (uint16) {
        return choice >> 4 == 5 ? 2023 : 2024;
    }

    /// @dev Siblings of a leaf up to the root, as ICertificates specifies the tree.
    function proofOf(bytes memory leaves, uint256 position) internal pure returns (bytes32[] memory proof) {
        uint256 count = leaves.length / 12;
        bytes32[] memory level = new bytes32[](count);
        for (uint256 i = 0; i < count; ++i) level[i] = hashLeaf(leaves, i);
        uint256 depth = 0;
        while ((uint256(1) << depth) < count) ++depth;
        proof = new bytes32[](depth);
        bytes32 zero = 0;
        for (uint256 k = 0; k < depth; ++k) {
            proof[k] = (position ^ 1) < level.length ? level[position ^ 1] : zero;
            level = parents(level, zero);
            zero = keccak256(abi.encode(zero, zero));
            position >>= 1;
        }
    }

    function parents(bytes32[] memory level, bytes32 zero) private pure returns (bytes32[] memory up) {
        up = new bytes32[]((level.length + 1) / 2);
        for (uint256 i = 0; i < up.length; ++i) {
            up[i] = keccak256(abi.encode(level[2 * i], 2 * i + 1 < level.length ? level[2 * i + 1] : zero));
        }
    }

    function hashLeaf(bytes memory leaves, uint256 i) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(add(add(leaves, 0x20), mul(i, 12)), 12)
        }
    }
}
