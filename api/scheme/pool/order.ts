import { erc20Abi } from "viem";
import { swapOrder, type TypedDataJson } from "../../../wire/src/typed-data.ts";
import {
  type Chain,
  type ContractName,
  type PermitTerms,
  permitToSign,
  type TypedDataToSign,
  unlessRefused,
} from "../../platform/chain/index.ts";
import { type CallToSign, type PreparedTransaction, unsignedTransaction } from "../../platform/transactions/index.ts";
import type { Side } from "./arithmetic.ts";
import type { Party } from "./party.ts";
import type { Holding } from "./rules.ts";

export type OrderTerms = { party: number; amountIn: bigint; minOut: bigint; deadline: bigint };
/** IPool.SwapOrder. */
export type SwapOrder = OrderTerms & { nonce: bigint };

/** Above the gas of any swap, also with a stablecoin behind a proxy. It cannot be estimated before the allowance exists. */
const swapGas = 400_000n;
const approveGas = 100_000n;

/** The token that goes into the pool. */
export const tokenIn = (side: Side): ContractName & ("carbon" | "stablecoin") =>
  side === "buy" ? "stablecoin" : "carbon";

/** Build the order's EIP-712 typed data for the pool. */
export function orderToSign(chain: Chain, side: Side, order: SwapOrder): TypedDataJson {
  return swapOrder({ chainId: chain.id, verifyingContract: chain.addresses.pool }, side, order);
}

/** Read the account's balance of the token that goes in, and the pool's allowance; absent if the token refuses the call. */
export async function holdingOf({ client, addresses }: Chain, { side, account }: Party): Promise<Partial<Holding>> {
  const token = { address: addresses[tokenIn(side)], abi: erc20Abi } as const;
  const [balance, allowance] = await Promise.all([
    unlessRefused(client.readContract({ ...token, functionName: "balanceOf", args: [account] })),
    unlessRefused(client.readContract({ ...token, functionName: "allowance", args: [account, addresses.pool] })),
  ]);
  return { ...(balance === null ? {} : { balance }), ...(allowance === null ? {} : { allowance }) };
}

/** Build the permit and order to sign. A contract account or a token without permits needs an allowance first. */
export async function typedDataOf(chain: Chain, party: Party, order: SwapOrder): Promise<TypedDataToSign[]> {
  const { side, account: signer } = party;
  const items: TypedDataToSign[] = [];
  if (!(await isContract(chain, party))) {
    const { pool: spender } = chain.addresses;
    const { amountIn: value, deadline } = order;
    const terms: PermitTerms = { token: chain.addresses[tokenIn(side)], owner: signer, spender, value, deadline };
    const permit = await permitToSign(chain.client, chain.id, terms);
    if (permit !== null) items.push({ name: "permit", signer, ...permit });
  }
  return [...items, { name: "order", signer, ...orderToSign(chain, side, order) }];
}

/** Build the account's own transactions: an approval if needed, then the swap. */
export async function transactionsOf(chain: Chain, party: Party, order: SwapOrder): Promise<PreparedTransaction[]> {
  const { allowance = 0n } = await holdingOf(chain, party);
  // A contract account sends no transactions, so its wallet must estimate the gas.
  const byWallet = await isContract(chain, party);
  const swap = swapCall(party, order);
  const measured = (gas: bigint) => (byWallet ? { gas } : {});
  if (allowance >= order.amountIn) return [await unsignedTransaction(chain, swap, measured(swapGas))];
  const args = [chain.addresses.pool, order.amountIn];
  const approve = { from: party.account, contract: tokenIn(party.side), functionName: "approve", args };
  return [
    await unsignedTransaction(chain, approve, measured(approveGas)),
    await unsignedTransaction(chain, swap, { gas: swapGas, after: 1 }),
  ];
}

/** Build the call to the pool for an account that sends its own transaction. */
export function swapCall({ side, index, account }: Party, { amountIn, minOut, deadline }: OrderTerms): CallToSign {
  const functionName = side === "buy" ? "buyCarbon" : "sellCarbon";
  return { from: account, contract: "pool", functionName, args: [index, amountIn, minOut, deadline] };
}

/** An account that delegates its code (EIP-7702) still has its key: it signs permits and transactions. */
async function isContract({ client }: Chain, { account }: Party): Promise<boolean> {
  const code = await client.getCode({ address: account });
  return code !== undefined && code !== "0x" && !code.startsWith("0xef0100");
}
