import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import type { Council, SafeTx } from "../../../../wire/src/typed-data.ts";
import type { CouncilContext } from "../council-state.ts";
import { type CouncilCall, type Operation, operationId } from "../operations.ts";
import { safeTxHash } from "../safe-tx.ts";
import { type DecodedCall, decodeCall, describeCall } from "./describe-call.ts";
import { account, decimal, duration } from "./figures.ts";

/** What a signer reads, and signs in addition to the Safe's transaction. */
export type Statement = {
  summary: string;
  changes: string[];
  notBefore: string;
  /** The timelock's operation that this schedules, cancels or executes; zero for none. */
  operationId: Hex;
  safeTxHash: Hex;
};
export type Described = { statement: Statement; alarms: string[] };
type Part = Pick<Statement, "changes" | "notBefore" | "operationId"> & { summary: string; alarms: string[] };

const noDelay = "Immediately, as soon as enough members have approved; there is no delay.";

/** Describe what a Safe's transaction does, from its bytes only; the context adds names and present values. */
export function describeDecision(tx: SafeTx, context: CouncilContext): Described {
  const call = { target: tx.to, value: tx.value, data: tx.data };
  const strange = strangeFields(tx, context);
  const part = tx.operation === 0 ? describePart(call, context) : delegated(call, context);
  const council: Council = { chainId: context.chainId, council: context.contracts.council };
  const alarms = [...strange, ...part.alarms];
  return {
    statement: {
      summary: `Decision ${tx.nonce} of the council on chain ${context.chainId}: ${part.summary}`,
      changes: [...alarms.map((alarm) => `WARNING: ${alarm}`), ...part.changes],
      notBefore: part.notBefore,
      operationId: part.operationId,
      safeTxHash: safeTxHash(council, tx),
    },
    alarms,
  };
}

/** List unusual fields of a Safe's transaction: they pay an account, or let the transaction fail unnoticed. */
function strangeFields(tx: SafeTx, context: CouncilContext): string[] {
  const alarms: string[] = [];
  if (tx.operation > 1) alarms.push(`Its operation is ${tx.operation}, which no Safe knows.`);
  if (tx.gasPrice !== 0n || tx.baseGas !== 0n || tx.gasToken !== zeroAddress || tx.refundReceiver !== zeroAddress) {
    alarms.push(
      `The council's Safe pays for gas: price ${tx.gasPrice}, base gas ${tx.baseGas}, token ${account(tx.gasToken, context)}, to ${account(tx.refundReceiver, context)}.`,
    );
  }
  if (tx.safeTxGas !== 0n)
    alarms.push(`Its gas is bounded to ${tx.safeTxGas}, so that it may fail and yet count as done.`);
  return alarms;
}

function delegated(call: CouncilCall, context: CouncilContext): Part {
  const text =
    `DELEGATECALL: the code at ${account(call.target, context)} is run as the council's own, with the bytes ${call.data}. ` +
    "It may replace the council. Do not sign it.";
  const alarms = ["It is a delegatecall: foreign code would run as the council's own."];
  return { summary: "run foreign code.", changes: [text], notBefore: noDelay, operationId: zeroHash, alarms };
}

function describePart(call: CouncilCall, context: CouncilContext): Part {
  const decoded = decodeCall(call, context);
  if (decoded?.contract === "timelock" && call.value === 0n) {
    const part = describeTimelock(decoded, context);
    if (part !== undefined) return part;
  }
  const { text, alarms } = describeCall(call, context);
  return { summary: "act immediately.", changes: [text], notBefore: noDelay, operationId: zeroHash, alarms };
}

function describeTimelock({ functionName, args }: DecodedCall, context: CouncilContext): Part | undefined {
  switch (functionName) {
    case "schedule":
    case "scheduleBatch":
      return describeSchedule(operationIn(functionName === "scheduleBatch", args, args[5] as bigint), context);
    case "execute":
    case "executeBatch":
      return describeNamed("execute", operationIn(functionName === "executeBatch", args, 0n), context);
    case "cancel":
      return describeCancel(args[0] as Hex, context);
    default:
      return undefined;
  }
}

function operationIn(batch: boolean, args: readonly unknown[], delay: bigint): Operation {
  const [targets, values, payloads] = args.slice(0, 3).map((each) => (batch ? each : [each])) as [
    Address[],
    bigint[],
    Hex[],
  ];
  const calls = targets.map((target, i) => ({ target, value: values[i] ?? 0n, data: payloads[i] ?? "0x" }));
  return { calls, predecessor: args[3] as Hex, salt: args[4] as Hex, delay, batch };
}

function describeSchedule(operation: Operation, context: CouncilContext): Part {
  const { changes, alarms } = describeCalls(operation, context);
  const waits = `No earlier than ${duration(operation.delay)} after enough approvals are on chain. `;
  const after =
    operation.predecessor === zeroHash ? "" : `And only after the operation ${operation.predecessor} was executed. `;
  return {
    summary: `schedule ${decimal(BigInt(operation.calls.length), 0)} ${operation.calls.length === 1 ? "change" : "changes, all or none"}.`,
    changes,
    notBefore: `${waits}${after}Until it is executed, the guardian or the council may cancel it. Then anyone may execute it.`,
    operationId: operationId(operation),
    alarms,
  };
}

/** Describe each call, numbered when there are several. */
export function describeCalls({ calls }: Pick<Operation, "calls">, context: CouncilContext) {
  const each = calls.map((call) => describeCall(call, context));
  return {
    changes: each.map(({ text }, i) => (each.length === 1 ? text : `${i + 1}. ${text}`)),
    alarms: each.flatMap(({ alarms }) => alarms),
  };
}

function describeNamed(verb: "execute" | "cancel", operation: Operation, context: CouncilContext): Part {
  const id = operationId(operation);
  const { changes } = describeCalls(operation, context);
  const title = verb === "execute" ? "Execute" : "Cancel, so that it never happens,";
  return {
    summary: `${verb} a scheduled operation.`,
    changes: changes.map((text) => `${title} of the operation ${id}: ${text}`),
    notBefore: noDelay,
    operationId: id,
    alarms: [],
  };
}

function describeCancel(id: Hex, context: CouncilContext): Part {
  const operation = context.operations[id];
  // The operation that a server gives for an id is used only if it hashes to that id.
  if (operation !== undefined && operationId(operation) === id) return describeNamed("cancel", operation, context);
  const text = `Cancel the scheduled operation ${id}; its content is not known here.`;
  return { summary: "cancel a scheduled operation.", changes: [text], notBefore: noDelay, operationId: id, alarms: [] };
}
