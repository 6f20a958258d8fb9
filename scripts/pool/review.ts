import { isDeepStrictEqual } from "node:util";
import { type Address, getAddress, type Hex, hashTypedData, isAddressEqual, type TypedDataDefinition } from "viem";
import type { CouncilContext } from "../../api/scheme/governance/council-state.ts";
import { describeDecision, type Statement } from "../../api/scheme/governance/describe/describe-decision.ts";
import type { ToSign } from "../../api/scheme/governance/schemas.ts";
import { approvalTypedData, type SafeTx, safeTypedData } from "../../wire/src/typed-data.ts";
import { RefusedError } from "./usage.ts";

/** The signed data, built here from the bytes that the service sent. */
export type Reviewed = {
  statement: Statement;
  safeTx: ReturnType<typeof safeTypedData>;
  words: ReturnType<typeof approvalTypedData>;
};

/**
 * Derive the description again from the Safe's transaction and compare: what the service says, the text that it asks to sign,
 * and what the bytes do must be the same.
 * @throws RefusedError when they differ, or when nobody should sign this
 */
export function review(asked: ToSign, context: CouncilContext): Reviewed {
  const tx = readSafeTx(asked.typedData.message);
  const council = { chainId: context.chainId, council: context.contracts.council };
  const safeTx = safeTypedData(council, tx);
  const { statement, alarms } = describeDecision(tx, context);
  const words = approvalTypedData(council, statement);
  const problems = alarms.map((alarm) => `WARNING: ${alarm}`);
  const { domain } = asked.typedData;
  if (Number(domain.chainId) !== context.chainId || !sameAddress(domain.verifyingContract, context.contracts.council)) {
    problems.push(
      `It is for the Safe ${String(domain.verifyingContract)} on chain ${String(domain.chainId)}, which is not this council's.`,
    );
  } else if (hashOf(asked.typedData) !== hashTypedData(safeTx)) {
    problems.push("The typed data of the service is not what its fields say.");
  }
  const said = asked.words;
  const { summary, changes, notBefore } = statement;
  if (!isDeepStrictEqual({ ...said }, { summary, changes, notBefore })) {
    problems.push(
      "The service says something else than what the bytes do:",
      ...listed("service says", said),
      ...listed("bytes do", statement),
    );
  } else if (hashOf(asked.statement) !== hashTypedData(words)) {
    problems.push("The statement that the service asks to be signed is not made of these words.");
  }
  if (problems.length > 0) throw new RefusedError(["This is not signed.", ...problems].join("\n  "));
  return { statement, safeTx, words };
}

function listed(
  title: string,
  { summary, changes, notBefore }: Pick<Statement, "summary" | "changes" | "notBefore">,
): string[] {
  return [summary, ...changes, notBefore].map((text) => `${title}: ${text}`);
}

const hashOf = (typedData: ToSign["typedData"]): Hex | undefined => {
  try {
    return hashTypedData(typedData as unknown as TypedDataDefinition);
  } catch {
    return undefined;
  }
};

function sameAddress(a: unknown, b: Address): boolean {
  return typeof a === "string" && isAddressEqual(a as Address, b);
}

/** The fields of a Safe's transaction, all of them and nothing else. */
function readSafeTx(message: Record<string, unknown>): SafeTx {
  try {
    const whole = (name: keyof SafeTx) => BigInt(String(message[name]));
    const address = (name: keyof SafeTx) => getAddress(String(message[name]));
    return {
      to: address("to"),
      value: whole("value"),
      data: String(message.data).toLowerCase() as Hex,
      operation: Number(message.operation),
      safeTxGas: whole("safeTxGas"),
      baseGas: whole("baseGas"),
      gasPrice: whole("gasPrice"),
      gasToken: address("gasToken"),
      refundReceiver: address("refundReceiver"),
      nonce: whole("nonce"),
    };
  } catch {
    throw new RefusedError("The service's request is not a transaction of a Safe.");
  }
}
