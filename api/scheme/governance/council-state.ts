import { type Address, getAddress, type Hex, hexToString, type PublicClient, trim } from "viem";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { councilAbi } from "../../../deployments/abi/council.ts";
import { directoryAbi } from "../../../deployments/abi/directory.ts";
import { invalidationBufferAbi } from "../../../deployments/abi/invalidationBuffer.ts";
import { itmoAbi } from "../../../deployments/abi/itmo.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { stablecoinAbi } from "../../../deployments/abi/stablecoin.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import type { DeployedContracts } from "../../../deployments/deployment.ts";
import type { Operation } from "./operations.ts";

/** No conversion has a higher number, so its terms of the buffer are those of the next one. */
const UINT32_MAX = 2 ** 32 - 1;

/** In micro-CARBON, as IPool.Caps. */
export type Caps = Record<"perTransaction" | "perWindow" | "perDay" | "lifetime" | "perSupplierDay", bigint>;

/** What the council may change, read from the chain. Amounts in base units, ITMOs in tonnes, times in seconds. */
export type CouncilState = {
  price: bigint;
  fee: number;
  caps: Caps;
  paused: boolean;
  carbonReserve: bigint;
  stablecoinReserve: bigint;
  stablecoinSymbol: string;
  operatorCap: bigint;
  pinCap: bigint;
  lifecycleCap: bigint;
  disputeStake: bigint;
  itmoDailyCap: bigint;
  /** Ten-thousandths of the next conversions. */
  bufferShare: number;
  bufferHoldDays: number;
  delay: bigint;
  owners: Address[];
  threshold: bigint;
  /** Next number (nonce) of the Safe. */
  nonce: bigint;
  directory: Record<string, Address>;
};

/** What a description of a decision needs in addition to the decision's bytes. */
export type CouncilContext = {
  chainId: number;
  contracts: DeployedContracts;
  /** Absent for past decisions: their descriptions give only the new values, not the earlier ones. */
  state?: CouncilState;
  /** The stablecoin's symbol, when the state is absent. */
  symbol?: string;
  /** Scheduled operations that a decision may refer to, by id. */
  operations: Record<Hex, Operation>;
};

/** Read the council's state at one block (by default the latest) from any RPC. */
export async function readCouncilState(
  client: PublicClient,
  contracts: DeployedContracts,
  block?: bigint,
): Promise<CouncilState> {
  const blockNumber = block ?? (await client.getBlockNumber({ cacheTime: 0 }));
  const pool = { address: contracts.pool, abi: poolAbi, blockNumber } as const;
  const claims = { address: contracts.claims, abi: claimsAbi, blockNumber } as const;
  const safe = { address: contracts.council, abi: councilAbi, blockNumber } as const;
  const token = { address: contracts.stablecoin, abi: stablecoinAbi, blockNumber } as const;
  const vouchers = { address: contracts.vouchers, abi: vouchersAbi, blockNumber } as const;
  const itmo = { address: contracts.itmo, abi: itmoAbi, blockNumber } as const;
  const bufferContract = {
    address: contracts.invalidationBuffer,
    abi: invalidationBufferAbi,
    blockNumber,
  } as const;
  const timelock = { address: contracts.timelock, abi: timelockAbi, blockNumber } as const;
  const [
    [price, fee, caps, paused, carbonReserve, stablecoinReserve],
    [stablecoinSymbol, operatorCap, disputeStake, itmoDailyCap, delay],
    [owners, threshold, nonce],
    [pinCap, lifecycleCap, buffer],
    directory,
  ] = await Promise.all([
    Promise.all([
      client.readContract({ ...pool, functionName: "price" }),
      client.readContract({ ...pool, functionName: "fee" }),
      client.readContract({ ...pool, functionName: "caps" }),
      client.readContract({ ...pool, functionName: "paused" }),
      client.readContract({ ...pool, functionName: "carbonReserve" }),
      client.readContract({ ...pool, functionName: "stablecoinReserve" }),
    ]),
    Promise.all([
      client.readContract({ ...token, functionName: "symbol" }),
      client.readContract({ ...claims, functionName: "operatorCap" }),
      client.readContract({ ...claims, functionName: "disputeStake" }),
      client.readContract({ ...itmo, functionName: "dailyCap" }),
      client.readContract({ ...timelock, functionName: "getMinDelay" }),
    ]),
    Promise.all([
      client.readContract({ ...safe, functionName: "getOwners" }),
      client.readContract({ ...safe, functionName: "getThreshold" }),
      client.readContract({ ...safe, functionName: "nonce" }),
    ]),
    Promise.all([
      client.readContract({ ...vouchers, functionName: "pinCap" }),
      client.readContract({ ...vouchers, functionName: "lifecycleCap" }),
      client.readContract({ ...bufferContract, functionName: "termsOf", args: [UINT32_MAX] }),
    ]),
    readDirectory(client, contracts.directory, blockNumber),
  ]);
  return {
    price,
    fee,
    caps,
    paused,
    carbonReserve,
    stablecoinReserve,
    stablecoinSymbol,
    operatorCap,
    pinCap,
    lifecycleCap,
    disputeStake,
    itmoDailyCap,
    bufferShare: buffer.share,
    bufferHoldDays: buffer.holdDays,
    delay,
    owners: [...owners],
    threshold,
    nonce,
    directory,
  };
}

async function readDirectory(
  client: PublicClient,
  address: Address,
  blockNumber: bigint,
): Promise<Record<string, Address>> {
  const directory = { address, abi: directoryAbi, blockNumber } as const;
  const names = await client.readContract({ ...directory, functionName: "names" });
  const targets = await Promise.all(
    names.map((name) => client.readContract({ ...directory, functionName: "contractOf", args: [name] })),
  );
  return Object.fromEntries(names.map((name, i) => [directoryName(name), getAddress(targets[i] as Address)]));
}

/** Decode a name in the directory to text. */
export function directoryName(name: Hex): string {
  return hexToString(trim(name, { dir: "right" }));
}
