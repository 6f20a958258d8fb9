import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToHex,
  zeroHash,
} from "viem";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";

/** One call, by the timelock or by the council's Safe. `value` in wei. */
export type CouncilCall = { target: Address; value: bigint; data: Hex };

/** What the timelock schedules. `batch`: with scheduleBatch, which also works for one call. `delay` in seconds. */
export type Operation = { calls: CouncilCall[]; predecessor: Hex; salt: Hex; delay: bigint; batch: boolean };

/** Build an operation: without predecessor, and as a batch when there are several calls. */
export function newOperation(calls: CouncilCall[], { salt, delay }: { salt: Hex; delay: bigint }): Operation {
  return { calls, predecessor: zeroHash, salt, delay, batch: calls.length !== 1 };
}

const columns = (calls: CouncilCall[]) =>
  [calls.map(({ target }) => target), calls.map(({ value }) => value), calls.map(({ data }) => data)] as const;

/** Compute the timelock's id of an operation: TimelockController.hashOperation and hashOperationBatch. */
export function operationId({ calls, predecessor, salt, batch }: Operation): Hex {
  const rest = [{ type: "bytes32" }, { type: "bytes32" }] as const;
  if (batch) {
    const types = [{ type: "address[]" }, { type: "uint256[]" }, { type: "bytes[]" }, ...rest] as const;
    return keccak256(encodeAbiParameters(types, [...columns(calls), predecessor, salt]));
  }
  const { target, value, data } = onlyCall(calls);
  const types = [{ type: "address" }, { type: "uint256" }, { type: "bytes" }, ...rest] as const;
  return keccak256(encodeAbiParameters(types, [target, value, data, predecessor, salt]));
}

/** Encode the timelock's call that schedules an operation. */
export function encodeSchedule(operation: Operation): Hex {
  const { calls, predecessor, salt, delay, batch } = operation;
  if (batch) {
    const args = [...columns(calls), predecessor, salt, delay] as const;
    return encodeFunctionData({ abi: timelockAbi, functionName: "scheduleBatch", args });
  }
  const { target, value, data } = onlyCall(calls);
  const args = [target, value, data, predecessor, salt, delay] as const;
  return encodeFunctionData({ abi: timelockAbi, functionName: "schedule", args });
}

/** Encode the timelock's call that executes an operation. */
export function encodeExecute({ calls, predecessor, salt, batch }: Operation): Hex {
  if (batch) {
    const args = [...columns(calls), predecessor, salt] as const;
    return encodeFunctionData({ abi: timelockAbi, functionName: "executeBatch", args });
  }
  const { target, value, data } = onlyCall(calls);
  const args = [target, value, data, predecessor, salt] as const;
  return encodeFunctionData({ abi: timelockAbi, functionName: "execute", args });
}

export function encodeCancel(id: Hex): Hex {
  return encodeFunctionData({ abi: timelockAbi, functionName: "cancel", args: [id] });
}

/** Compute this API's id of a call that the Safe makes by itself; the timelock has none for it. */
export function directId({ target, value, data }: CouncilCall, salt: Hex): Hex {
  const types = [{ type: "address" }, { type: "uint256" }, { type: "bytes32" }, { type: "bytes32" }] as const;
  const encoded = encodeAbiParameters(types, [target, value, keccak256(data), salt]);
  return keccak256(concat([stringToHex("Hearth direct decision"), encoded]));
}

function onlyCall(calls: CouncilCall[]): CouncilCall {
  const [call, ...more] = calls;
  if (call === undefined || more.length > 0) throw new Error("Only a batch has more or fewer calls than one.");
  return call;
}
