import {
  type Address,
  getAddress,
  isAddressEqual,
  keccak256,
  type PublicClient,
  pad,
  slice,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { timelockAbi } from "../../deployments/abi/timelock.ts";
import type { Deployment } from "../../deployments/deployment.ts";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { artifacts } from "./artifacts.ts";
import { type Foundations, readStablecoin, unsoundness } from "./soundness.ts";

/** Who holds which right over what, read from the chain. */
export type RoleTable = {
  /** Role of the access manager → accounts. Includes roles that should not exist. */
  participants: Record<string, Address[]>;
  timelock: Record<string, Address[]>;
  /** `guard`: the contract that checks what the Safe is about to do; zero for none. */
  council: { owners: Address[]; threshold: number; modules: Address[]; guard: Address };
  /** Owner of the test token, which may mint it. */
  faucet?: Address;
  /** Seconds between a decision and its execution. */
  delay: number;
  stablecoin: Foundations["stablecoin"];
  /** Configuration of the access manager that the scheme does not use: each entry is an error. */
  surprises: string[];
};

const timelockRoles = {
  DEFAULT_ADMIN: pad("0x"),
  PROPOSER: keccak256(stringToHex("PROPOSER_ROLE")),
  EXECUTOR: keccak256(stringToHex("EXECUTOR_ROLE")),
  CANCELLER: keccak256(stringToHex("CANCELLER_ROLE")),
} as const;

/** Storage slot of a Safe's guard. */
const guardSlot = keccak256(stringToHex("guard_manager.guard.address"));

const roleName = (role: bigint) =>
  (Object.keys(roleNumbers) as (keyof typeof roleNumbers)[]).find((name) => roleNumbers[name] === role) ??
  `role ${role}`;

/** Read every holder of every right from the chain: candidates from events, current holders from storage. */
export async function readRoleTable(client: PublicClient, deployment: Deployment): Promise<RoleTable> {
  const { contracts, testStablecoin } = deployment;
  const table: RoleTable = {
    ...(await readParticipants(client, deployment)),
    timelock: await readTimelock(client, deployment),
    council: await readCouncil(client, contracts.council),
    delay: Number(
      await client.readContract({ address: contracts.timelock, abi: timelockAbi, functionName: "getMinDelay" }),
    ),
    stablecoin: await readStablecoin(client, contracts.stablecoin),
  };
  if (testStablecoin) {
    table.faucet = await client.readContract({
      address: contracts.stablecoin,
      abi: stablecoinAbi,
      functionName: "owner",
    });
  }
  return table;
}

async function readParticipants(
  client: PublicClient,
  { contracts, startBlock }: Deployment,
): Promise<Pick<RoleTable, "participants" | "surprises">> {
  const address = contracts.participants;
  const where = { address, abi: participantsAbi, fromBlock: BigInt(startBlock), strict: true } as const;
  const granted = await client.getContractEvents({ ...where, eventName: "RoleGranted" });
  const participants: Record<string, Address[]> = {};
  const surprises: string[] = [];
  for (const { args } of granted) {
    const name = roleName(args.roleId);
    const [isMember, delay] = await client.readContract({
      address,
      abi: participantsAbi,
      functionName: "hasRole",
      args: [args.roleId, args.account],
    });
    const holders = participants[name] ?? [];
    participants[name] = holders;
    if (isMember && !holders.includes(args.account)) holders.push(args.account);
    if (delay !== 0) surprises.push(`${name} of ${args.account} has an execution delay of ${delay} s`);
  }
  const unused = [
    "RoleAdminChanged",
    "RoleGuardianChanged",
    "TargetFunctionRoleUpdated",
    "TargetAdminDelayUpdated",
    "TargetClosed",
    "OperationScheduled",
  ] as const;
  for (const eventName of unused) {
    const events = await client.getContractEvents({ ...where, eventName });
    if (events.length > 0) surprises.push(`${eventName} was emitted ${events.length} times`);
  }
  return { participants, surprises };
}

async function readTimelock(
  client: PublicClient,
  { contracts, startBlock }: Deployment,
): Promise<RoleTable["timelock"]> {
  const address = contracts.timelock;
  const where = { address, abi: timelockAbi, fromBlock: BigInt(startBlock), strict: true } as const;
  const granted = await client.getContractEvents({ ...where, eventName: "RoleGranted" });
  const candidates = new Set(granted.map(({ args }) => args.account));
  const table: RoleTable["timelock"] = {};
  for (const [name, role] of Object.entries(timelockRoles)) {
    table[name] = [];
    for (const account of candidates) {
      const args = [role, account] as const;
      const holds = await client.readContract({ address, abi: timelockAbi, functionName: "hasRole", args });
      if (holds) table[name].push(account);
    }
  }
  return table;
}

async function readCouncil(client: PublicClient, address: Address): Promise<RoleTable["council"]> {
  const { abi } = artifacts.safeSingleton();
  const read = (functionName: string, args: unknown[] = []) =>
    client.readContract({ address, abi, functionName, args });
  const [owners, threshold, modules, guard] = await Promise.all([
    read("getOwners") as Promise<Address[]>,
    read("getThreshold") as Promise<bigint>,
    read("getModulesPaginated", ["0x0000000000000000000000000000000000000001", 50n]) as Promise<[Address[], Address]>,
    client.getStorageAt({ address, slot: guardSlot }),
  ]);
  return {
    owners,
    threshold: Number(threshold),
    modules: modules[0],
    guard: getAddress(slice(guard ?? zeroHash, 12)),
  };
}

/** List what no deployment may have, whatever its file says. */
function foundationProblems(table: RoleTable, chainId: number): string[] {
  const { council: _timelock, ...roles } = table.participants;
  const { owners, threshold } = table.council;
  return unsoundness({
    chainId,
    timelockDelay: table.delay,
    stablecoin: table.stablecoin,
    holders: { ...roles, "council owner": owners },
    owners: owners.length,
    threshold,
  });
}

/** List what differs from the deployment or is unsafe; empty when all is right. */
export function roleTableProblems(table: RoleTable, { chainId, contracts, roles }: Deployment): string[] {
  const problems = [...table.surprises, ...foundationProblems(table, chainId)];
  const expect = (what: string, actual: Address[] | undefined, wanted: Address[]) => {
    const key = (list: Address[]) =>
      list
        .map((address) => getAddress(address))
        .sort()
        .join(", ");
    const [is, should] = [key(actual ?? []), key(wanted)];
    if (is !== should) problems.push(`${what} is held by ${is || "nobody"}, not by ${should || "nobody"}`);
  };
  const wanted: Record<string, Address[]> = {
    council: [contracts.timelock],
    guardian: [roles.guardian],
    registrar: [roles.registrar],
    operator: [roles.operator],
    evaluator: [roles.evaluator],
    ledger: [contracts.vouchers],
    converter: [contracts.itmo],
  };
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(table.participants)])) {
    expect(name, table.participants[name], wanted[name] ?? []);
  }
  expect("timelock admin", table.timelock.DEFAULT_ADMIN, [contracts.timelock]);
  expect("timelock proposer", table.timelock.PROPOSER, [contracts.council]);
  // In a deployment of an earlier version only the council may execute.
  const byCouncil = table.timelock.EXECUTOR?.join() === contracts.council;
  if (!byCouncil) expect("timelock executor", table.timelock.EXECUTOR, [zeroAddress]);
  expect("timelock canceller", table.timelock.CANCELLER, [contracts.council, roles.guardian]);
  expect("council ownership", table.council.owners, roles.council);
  expect("council module", table.council.modules, []);
  if (table.council.guard === zeroAddress) problems.push("the council's Safe has no guard against delegatecalls");
  if (table.council.threshold !== roles.threshold)
    problems.push(`the council's threshold is ${table.council.threshold}`);
  if (table.faucet !== undefined && !isAddressEqual(table.faucet, roles.operator))
    problems.push(`the faucet is owned by ${table.faucet}`);
  return problems;
}
