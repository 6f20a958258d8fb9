import type { Abi, Address, ContractEventName, Log, ParseEventLogsReturnType } from "viem";
import { parseEventLogs } from "viem";
import { carbonAbi } from "../../deployments/abi/carbon.ts";
import { certificatesAbi } from "../../deployments/abi/certificates.ts";
import { claimsAbi } from "../../deployments/abi/claims.ts";
import { directoryAbi } from "../../deployments/abi/directory.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { poolAbi } from "../../deployments/abi/pool.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";

export const abis = {
  participants: participantsAbi,
  certificates: certificatesAbi,
  carbon: carbonAbi,
  vouchers: vouchersAbi,
  claims: claimsAbi,
  pool: poolAbi,
  directory: directoryAbi,
  stablecoin: stablecoinAbi,
} as const;

export type Abis = typeof abis;
export type ContractName = keyof Abis;
export type Addresses = Record<ContractName, Address>;

/** Every entry of every ABI: for decoding errors, whichever contract they come from. */
export const allAbis: Abi = Object.values(abis).flatMap((abi) => [...abi] as Abi[number][]);

export type DecodedEvent<C extends ContractName, E extends ContractEventName<Abis[C]>> = ParseEventLogsReturnType<
  Abis[C],
  E,
  true
>[number];

/** The events of one contract with one of the given names, in the order of the log; other logs are passed over. */
export function eventsIn<C extends ContractName, E extends ContractEventName<Abis[C]>>(
  logs: Log[],
  at: { contract: C; address: Address; eventName: E | E[] },
): DecodedEvent<C, E>[] {
  const own = logs.filter((log) => log.address.toLowerCase() === at.address.toLowerCase());
  const parsed = parseEventLogs({ abi: abis[at.contract] as Abi, eventName: at.eventName as string[], logs: own });
  return parsed as unknown as DecodedEvent<C, E>[];
}
