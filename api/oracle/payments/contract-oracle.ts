import { type Address, type Hex, isAddressEqual, zeroAddress, zeroHash } from "viem";
import type { Chain } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { type PreparedTransaction, unsignedTransaction } from "../../platform/transactions/index.ts";
import { oracleIdOf } from "./oracle-id.ts";
import { readOracle } from "./terms.ts";

/** Number of messages that the default deposit pays for. */
const messagesByDefault = 100n;
/** Nobody can estimate it before the approval is mined. */
const contractGas = 250_000n;

export type ContractTerms = {
  did: string;
  /** The account that pays and signs. */
  from: Address;
  /** The registry's id of the user; absent: the DID of the account itself. */
  user?: Hex | undefined;
  /** Deposit in stablecoin base units; absent: the price of a hundred messages. */
  amount?: bigint | undefined;
  /** Highest price of a message; absent: the current price. */
  maxPrice?: bigint | undefined;
};

export type PreparedContract = {
  oracle: Hex;
  user: Hex;
  amount: bigint;
  maxPrice: bigint;
  /** To be signed and sent in this order. */
  transactions: PreparedTransaction[];
};

/**
 * Prepare the transactions by which an account contracts an oracle: the approval of its deposit, and the deposit.
 * @throws AppError NOT_FOUND (no such oracle), CONFLICT (price above what is accepted, too little of the token)
 */
export async function prepareContract(chain: Chain, terms: ContractTerms): Promise<PreparedContract> {
  const { did, from, user = zeroHash } = terms;
  const found = await readOracle(chain, did);
  if (isAddressEqual(found.owner, zeroAddress)) throw refused("NOT_FOUND", "oracle-exists", "There is no such oracle.");
  const { maxPrice = found.price, amount = found.price * messagesByDefault } = terms;
  if (found.price > maxPrice) {
    throw refused("CONFLICT", "price-accepted", `A message costs ${found.price} base units, more than ${maxPrice}.`);
  }
  const held = await chain.read("stablecoin", "balanceOf", [from]);
  if (held < amount) {
    throw refused(
      "CONFLICT",
      "balance",
      `The account holds ${held} base units of the token, the deposit is ${amount}.`,
    );
  }
  const oracle = oracleIdOf(did);
  const approve = { contract: "stablecoin", functionName: "approve", args: [chain.addresses.oracles, amount] } as const;
  const args = [oracle, user, amount, maxPrice];
  const contract = { contract: "oracles", functionName: "contractOracle", args } as const;
  const transactions = [
    ...(amount === 0n ? [] : [await unsignedTransaction(chain, { from, ...approve })]),
    await unsignedTransaction(chain, { from, ...contract }, { gas: contractGas, after: amount === 0n ? 0 : 1 }),
  ];
  return { oracle, user, amount, maxPrice, transactions };
}

function refused(code: "NOT_FOUND" | "CONFLICT", rule: string, message: string): AppError {
  return new AppError(code, message, { details: [{ rule, message }] });
}
