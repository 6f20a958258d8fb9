import { getAddress, type Hex } from "viem";
import type { Deployment } from "../../../deployments/deployment.ts";
import type { CouncilContext, CouncilState } from "./council-state.ts";
import type { Operation } from "./operations.ts";

type OperationJson = ReturnType<typeof operationToJson>;
export type ContextJson = {
  chainId: number;
  contracts: Record<string, string>;
  state: Record<string, unknown> & { caps: Record<string, string> };
  operations: Record<string, OperationJson>;
};

/**
 * Convert the context of a description to JSON, whole numbers as decimal text, so that a signer can compute the
 * description again.
 */
export function contextToJson(context: CouncilContext & { state: CouncilState }, operations: Hex[]): ContextJson {
  const named = operations.flatMap((id) =>
    context.operations[id] ? [[id, operationToJson(context.operations[id])]] : [],
  );
  const state = Object.entries(context.state).map(([name, value]) => [
    name,
    typeof value === "bigint" ? `${value}` : value,
  ]);
  const caps = Object.entries(context.state.caps).map(([name, value]) => [name, `${value}`]);
  return {
    chainId: context.chainId,
    contracts: { ...context.contracts },
    state: { ...Object.fromEntries(state), caps: Object.fromEntries(caps) },
    operations: Object.fromEntries(named),
  };
}

export function operationToJson({ calls, predecessor, salt, delay, batch }: Operation) {
  const plain = calls.map(({ target, value, data }) => ({ target, value: `${value}`, data }));
  return { calls: plain, predecessor, salt, delay: `${delay}`, batch };
}

const wholeNumbers = [
  "price",
  "carbonReserve",
  "stablecoinReserve",
  "operatorCap",
  "pinCap",
  "lifecycleCap",
  "disputeStake",
  "itmoDailyCap",
  "delay",
  "threshold",
  "nonce",
] as const;

/** Parse the JSON that contextToJson writes. @throws Error for any other JSON */
export function contextFromJson(json: ContextJson): CouncilContext & { state: CouncilState } {
  const given = json.state as Record<string, unknown>;
  const numbers = Object.fromEntries(wholeNumbers.map((name) => [name, BigInt(String(given[name]))]));
  const caps = Object.fromEntries(Object.entries(json.state.caps).map(([name, value]) => [name, BigInt(value)]));
  const contracts = Object.fromEntries(
    Object.entries(json.contracts).map(([name, address]) => [name, getAddress(address)]),
  ) as Deployment["contracts"];
  const operations = Object.fromEntries(
    Object.entries(json.operations).map(([id, { calls, predecessor, salt, delay, batch }]) => {
      const read = calls.map(({ target, value, data }) => ({ target: getAddress(target), value: BigInt(value), data }));
      return [id, { calls: read, predecessor, salt, delay: BigInt(delay), batch }];
    }),
  );
  return { chainId: json.chainId, contracts, state: { ...given, ...numbers, caps } as CouncilState, operations };
}
