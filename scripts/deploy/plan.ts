import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  keccak256,
  pad,
  size,
  stringToHex,
  toHex,
  zeroAddress,
} from "viem";
import type { DeployedContracts, RoleAccounts } from "../../deployments/deployment.ts";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { artifacts } from "./artifacts.ts";
import { defaultParameters, type ParameterEntry } from "./parameters.ts";

/** Micro-CARBON; see IPool.Caps. */
export type Caps = {
  perTransaction: bigint;
  perWindow: bigint;
  perDay: bigint;
  lifetime: bigint;
  perSupplierDay: bigint;
};

export type Settings = {
  roles: RoleAccounts;
  /** Absent: a test token is deployed, the pool seeded with `seed` of it, and did:ethr given a registry (ERC-1056). */
  stablecoin?: Address;
  /** Stablecoin base units. */
  seed: bigint;
  /** Stablecoin base units for one CARBON. */
  price: bigint;
  caps: Caps;
  /** Micro-CARBON that one operator may pay out in a day. */
  operatorCap: bigint;
  /** Micro-CARBON. */
  disputeStake: bigint;
  /** Micro-CARBON that in a day one account may cancel and reissue, all may sweep and all operators reverse. */
  lifecycleCap: bigint;
  /** Micro-CARBON that one operator may redeem in a day by attesting PINs. */
  pinCap: bigint;
  /** Whole CARBON that a supplier may redeem in a day without a household's consent, under the scheme's default plan. */
  unconsentedCap: number;
  /** Tonnes that the registrar may finalise, transfer, use and cancel in a day. */
  itmoDailyCap: bigint;
  /** Entries that the list of parameters starts with. */
  parameters: readonly ParameterEntry[];
  /** Seconds. */
  timelockDelay: bigint;
};

/** One transaction of the deployer. `to` absent: a creation. */
export type Step = { name: string; to?: Address; data: Hex; gas: bigint };
export type Plan = { steps: Step[]; contracts: DeployedContracts };

const UINT64_MAX = 2n ** 64n - 1n;
const carbon = (whole: bigint) => whole * 1_000_000n;

/** What the embedded chain starts with. */
export const embeddedSettings: Omit<Settings, "roles"> = {
  seed: 10_000_000_000_000n,
  price: 20_000n,
  caps: {
    perTransaction: carbon(1_000_000n),
    perWindow: carbon(10_000_000n),
    perDay: carbon(10_000_000n),
    lifetime: UINT64_MAX,
    perSupplierDay: UINT64_MAX,
  },
  operatorCap: carbon(10_000_000n),
  disputeStake: carbon(10n),
  lifecycleCap: carbon(1_000_000n),
  pinCap: carbon(10_000n),
  unconsentedCap: 10_000,
  itmoDailyCap: 1_000_000n,
  parameters: defaultParameters,
  timelockDelay: 86_400n,
};

type ArtifactName = keyof typeof artifacts;

/** Collects the deployer's transactions in order, because their order determines the contracts' addresses. */
class StepList {
  readonly steps: Step[] = [];
  readonly #deployer: Address;
  readonly #firstNonce: number;

  constructor(deployer: Address, firstNonce: number) {
    this.#deployer = deployer;
    this.#firstNonce = firstNonce;
  }

  /** Address of the contract that the step at an index creates. */
  addressAt(index: number): Address {
    return getContractAddress({ from: this.#deployer, nonce: BigInt(this.#firstNonce + index) });
  }

  create(name: ArtifactName, args: unknown[]): Address {
    const { abi, bytecode } = artifacts[name]();
    const data = encodeDeployData({ abi, bytecode, args });
    // 200 a byte of code, 16 a byte of calldata, 2 a word; the rest is for constructors.
    const gas = 1_500_000n + BigInt(data.length / 2) * 218n;
    this.steps.push({ name: `create ${name}`, data, gas });
    return this.addressAt(this.steps.length - 1);
  }

  call(artifact: ArtifactName, to: Address, functionName: string, args: unknown[], gas = 1_000_000n): void {
    const data = encodeFunctionData({ abi: artifacts[artifact]().abi, functionName, args });
    this.steps.push({ name: `${artifact}.${functionName}`, to, data, gas });
  }
}

/** The order of creation, from which each contract's address follows. */
const order = [
  "participants",
  "certificates",
  "carbon",
  "vouchers",
  "claims",
  "pool",
  "directory",
  "audits",
  "campaigns",
  "itmo",
  "oracles",
  "parameters",
  "authorizations",
  "invalidationBuffer",
] as const;

/**
 * Every transaction of a deployment, in the deployer's nonce order. The same arguments give the same steps, so that an
 * interrupted deployment continues at its nonce.
 */
export function planDeployment(deployer: Address, firstNonce: number, settings: Settings): Plan {
  const list = new StepList(deployer, firstNonce);
  const at = Object.fromEntries(order.map((name, i) => [name, list.addressAt(i)])) as Record<
    (typeof order)[number],
    Address
  >;
  const stablecoin = settings.stablecoin ?? list.addressAt(order.length);
  const { participants, certificates, vouchers, claims, pool } = at;
  list.create("participants", [deployer]);
  list.create("certificates", [participants, vouchers]);
  list.create("carbon", [vouchers]);
  list.create("vouchers", [
    participants,
    certificates,
    at.carbon,
    claims,
    pool,
    settings.lifecycleCap,
    settings.pinCap,
  ]);
  list.create("claims", [participants, vouchers, at.carbon, pool, settings.operatorCap, settings.disputeStake]);
  list.create("pool", [participants, at.carbon, stablecoin, claims, settings.price, settings.caps]);
  list.create("directory", [participants]);
  list.create("audits", [participants]);
  list.create("campaigns", [participants, certificates]);
  list.create("itmo", [
    participants,
    at.carbon,
    certificates,
    at.authorizations,
    at.invalidationBuffer,
    settings.itmoDailyCap,
  ]);
  list.create("oracles", [participants, stablecoin]);
  list.create("parameters", [participants, settings.parameters]);
  list.create("authorizations", [participants, at.itmo]);
  list.create("invalidationBuffer", [participants, at.itmo, certificates, vouchers]);
  if (settings.stablecoin === undefined) list.create("stablecoin", [deployer]);

  const council = createCouncil(list, settings.roles);
  // Anyone may execute what the council decided, once the delay is over: see docs/governance.md.
  const executors = [zeroAddress];
  const timelock = list.create("timelock", [settings.timelockDelay, [council], executors, deployer, participants]);
  const contracts = { ...at, stablecoin, council, timelock };
  nameContracts(list, contracts);
  const plan: Plan = { steps: list.steps, contracts };
  if (settings.stablecoin === undefined) {
    seedPool(list, contracts, settings);
    plan.contracts = { ...contracts, didRegistry: list.create("didRegistry", []) };
  }
  list.call("participants", participants, "setUnconsentedCap", [0, settings.unconsentedCap]);
  handOver(list, contracts, deployer, settings.roles);
  return plan;
}

/**
 * The Safe of the council: singleton, factory, handler, guard, proxy. The guard refuses every delegatecall (to the zero
 * address it would do nothing); it is set while the Safe is made, because afterwards only the council could.
 */
function createCouncil(list: StepList, roles: RoleAccounts): Address {
  const singleton = list.create("safeSingleton", []);
  const factory = list.create("safeFactory", []);
  const handler = list.create("safeHandler", []);
  const multiSend = list.create("safeMultiSend", []);
  const guard = list.create("safeGuard", [zeroAddress]);
  const none = { token: zeroAddress, payment: 0n, receiver: zeroAddress } as const;
  const initializer = encodeFunctionData({
    abi: artifacts.safeSingleton().abi,
    functionName: "setup",
    args: [
      roles.council,
      BigInt(roles.threshold),
      multiSend,
      callOfItself(encodeFunctionData({ abi: artifacts.safeSingleton().abi, functionName: "setGuard", args: [guard] })),
      handler,
      none.token,
      none.payment,
      none.receiver,
    ],
  });
  list.call("safeFactory", factory, "createProxyWithNonce", [singleton, initializer, 0n]);
  const proxyCode = concat([artifacts.safeProxy().bytecode, encodeAbiParameters([{ type: "address" }], [singleton])]);
  const salt = keccak256(concat([keccak256(initializer), toHex(0n, { size: 32 })]));
  return getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode: proxyCode });
}

/** Encode one call for MultiSend to the account that runs it: operation 0, address 0, value 0, length, bytes. */
function callOfItself(data: Hex): Hex {
  const types = ["uint8", "address", "uint256", "uint256", "bytes"] as const;
  const packed = encodePacked(types, [0, zeroAddress, 0n, BigInt(size(data)), data]);
  return encodeFunctionData({ abi: artifacts.safeMultiSend().abi, functionName: "multiSend", args: [packed] });
}

function seedPool(list: StepList, contracts: Plan["contracts"], { seed, roles }: Settings): void {
  list.call("stablecoin", contracts.stablecoin, "mint", [contracts.pool, seed]);
  list.call("pool", contracts.pool, "takeIn", []);
  list.call("stablecoin", contracts.stablecoin, "transferOwnership", [roles.operator]);
}

function nameContracts(list: StepList, contracts: Plan["contracts"]): void {
  const named = Object.entries(contracts).filter(([name]) => name !== "directory");
  const names = named.map(([name]) => pad(stringToHex(`${name[0]?.toUpperCase()}${name.slice(1)}`), { dir: "right" }));
  const targets = named.map(([, address]) => address);
  list.call("directory", contracts.directory, "setContracts", [names, targets], 2_000_000n);
}

/** Grants the roles, makes the timelock the council, and revokes the deployer's last right. */
function handOver(list: StepList, contracts: Plan["contracts"], deployer: Address, roles: RoleAccounts): void {
  const { abi } = artifacts.participants();
  const encode = (functionName: string, args: unknown[]) => encodeFunctionData({ abi, functionName, args });
  const holders = (["guardian", "registrar", "operator", "evaluator"] as const).flatMap((role) => [
    encode("labelRole", [roleNumbers[role], role.toUpperCase()]),
    encode("grantRole", [roleNumbers[role], roles[role], 0]),
  ]);
  const ledgers = [
    encode("labelRole", [roleNumbers.ledger, "LEDGER"]),
    encode("grantRole", [roleNumbers.ledger, contracts.vouchers, 0]),
    encode("labelRole", [roleNumbers.converter, "CONVERTER"]),
    encode("grantRole", [roleNumbers.converter, contracts.itmo, 0]),
  ];
  const admin = encode("grantRole", [roleNumbers.council, contracts.timelock, 0]);
  list.call("participants", contracts.participants, "multicall", [[...holders, ...ledgers, admin]], 2_000_000n);
  list.call("timelock", contracts.timelock, "grantRole", [keccak256(stringToHex("CANCELLER_ROLE")), roles.guardian]);
  list.call("timelock", contracts.timelock, "renounceRole", [pad("0x"), deployer]);
  list.call("participants", contracts.participants, "renounceRole", [roleNumbers.council, deployer]);
}
