import type { Abi, AbiEvent, AbiParameter, Address, ContractEventName, Hex, Log, ParseEventLogsReturnType } from "viem";
import { decodeAbiParameters, toEventSelector } from "viem";
import { auditsAbi } from "../../../deployments/abi/audits.ts";
import { authorizationsAbi } from "../../../deployments/abi/authorizations.ts";
import { campaignsAbi } from "../../../deployments/abi/campaigns.ts";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { certificatesAbi } from "../../../deployments/abi/certificates.ts";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { directoryAbi } from "../../../deployments/abi/directory.ts";
import { errorsAbi } from "../../../deployments/abi/errors.ts";
import { invalidationBufferAbi } from "../../../deployments/abi/invalidationBuffer.ts";
import { itmoAbi } from "../../../deployments/abi/itmo.ts";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { parametersAbi } from "../../../deployments/abi/parameters.ts";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { stablecoinAbi } from "../../../deployments/abi/stablecoin.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";

export const abis = {
  participants: participantsAbi,
  certificates: certificatesAbi,
  carbon: carbonAbi,
  vouchers: vouchersAbi,
  claims: claimsAbi,
  pool: poolAbi,
  directory: directoryAbi,
  audits: auditsAbi,
  campaigns: campaignsAbi,
  itmo: itmoAbi,
  oracles: oraclesAbi,
  parameters: parametersAbi,
  authorizations: authorizationsAbi,
  invalidationBuffer: invalidationBufferAbi,
  stablecoin: stablecoinAbi,
} as const;

export type Abis = typeof abis;
export type ContractName = keyof Abis;
export type Addresses = Record<ContractName, Address>;

/** Every error that a call of our contracts can return, of all contracts. */
export const allErrors: Abi = errorsAbi;

export type DecodedEvent<C extends ContractName, E extends ContractEventName<Abis[C]>> = ParseEventLogsReturnType<
  Abis[C],
  E,
  true
>[number];

type EventReader = { name: string; inputs: readonly AbiParameter[]; plain: readonly AbiParameter[] };

/** Decoders by topic for every event of every contract. A batch has thousands of logs, so signatures are hashed only once. */
const readers = new Map(
  (Object.keys(abis) as ContractName[]).map((contract) => {
    const events = (abis[contract] as Abi).filter((item): item is AbiEvent => item.type === "event");
    return [contract, new Map(events.map((event) => [toEventSelector(event), readerOf(event)]))];
  }),
);

function readerOf({ name, inputs }: AbiEvent): EventReader {
  return { name, inputs, plain: inputs.filter((input) => !("indexed" in input && input.indexed)) };
}

/** Decode the events of one contract with one of the given names, in log order. Skip other logs. */
export function eventsIn<C extends ContractName, E extends ContractEventName<Abis[C]>>(
  logs: Log[],
  at: { contract: C; address: Address; eventName: E | E[] },
): DecodedEvent<C, E>[] {
  const address = at.address.toLowerCase();
  const names: string[] = [at.eventName].flat();
  const found: unknown[] = [];
  for (const log of logs) {
    if (log.address.toLowerCase() !== address) continue;
    const reader = readers.get(at.contract)?.get(log.topics[0] ?? "0x");
    if (reader !== undefined && names.includes(reader.name)) {
      found.push({ ...log, eventName: reader.name, args: argsOf(reader, log) });
    }
  }
  return found as DecodedEvent<C, E>[];
}

function argsOf({ inputs, plain }: EventReader, { topics, data }: Log): Record<string, unknown> {
  const values = plain.length === 0 ? [] : decodeAbiParameters(plain, data);
  const args: Record<string, unknown> = {};
  let topic = 1;
  let value = 0;
  for (const input of inputs) {
    const isIndexed = "indexed" in input && input.indexed;
    args[input.name ?? ""] = isIndexed ? indexedValue(input, topics[topic++]) : values[value++];
  }
  return args;
}

/** Read an indexed argument. Of texts, bytes and lists a log holds only the hash. */
function indexedValue(input: AbiParameter, topic: Hex | undefined): unknown {
  if (topic === undefined) throw new Error(`A log lacks the indexed argument ${input.name}.`);
  const isHashed = input.type === "string" || input.type === "bytes" || /[[(]|tuple/.test(input.type);
  return isHashed ? topic : decodeAbiParameters([input], topic)[0];
}
