import { type Address, parseSignature } from "viem";
import type { GasFigures, GasWorld } from "./gas-world.ts";

const CARBON = 1_000_000n;
const DEADLINE = 2n ** 63n;
const PERMIT = ["owner:address", "spender:address", "value:uint256", "nonce:uint256", "deadline:uint256"];
const ORDER = ["amountIn:uint64", "minOut:uint64", "nonce:uint256", "deadline:uint64"];
const CONVERSION = [
  ...["implementer:uint32", "amount:uint64", "authorization:uint32", "vintage:uint16"],
  ...["nonce:uint256", "deadline:uint64"],
];

type Party = "supplier" | "implementer";
type Signing = { by: Party; name: string; contract: Address; type: string; fields: string[]; message: object };

/** Sign EIP-712 typed data as one of the parties; `fields` are `name:type`. */
export async function signTyped(world: GasWorld, { by, name, contract, type, fields, message }: Signing) {
  const types = fields.map((field) => ({ name: field.split(":")[0]!, type: field.split(":")[1]! }));
  return world.who[by].signTypedData({
    domain: { name, version: "1", chainId: await world.client.getChainId(), verifyingContract: contract },
    primaryType: type,
    types: { [type]: types },
    message: message as Record<string, unknown>,
  });
}

type Token = GasWorld["carbon"] | GasWorld["stablecoin"];

/** Sign an ERC-2612 permit in the form that the contracts accept. */
async function signPermit(world: GasWorld, by: Party, token: Token, spender: Address, value: bigint) {
  const owner = world.address(by);
  const [name, nonce] = [await token.read.name(), await token.read.nonces([owner])];
  const message = { owner, spender, value, nonce, deadline: DEADLINE };
  const signing = { by, name, contract: token.address, type: "Permit", fields: PERMIT, message };
  const { r, s, yParity } = parseSignature(await signTyped(world, signing));
  return { v: yParity + 27, r, s };
}

const sides = {
  sell: { by: "supplier", type: "SellOrder", party: "supplier:uint32" },
  buy: { by: "implementer", type: "BuyOrder", party: "implementer:uint32" },
} as const;

/** Swaps with accounts and reserves that were used before, compared with the two token transfers that each contains. */
export async function takeSwaps(world: GasWorld, figures: GasFigures): Promise<void> {
  const { pool, carbon, stablecoin, gasOf, as, address } = world;
  await gasOf(stablecoin.write.mint([address("implementer"), 1_000n * CARBON], as("operator")));
  await gasOf(stablecoin.write.approve([pool.address, 2n ** 255n], as("implementer")));
  await gasOf(carbon.write.approve([pool.address, 2n ** 255n], as("supplier")));
  const buy = () => gasOf(pool.write.buyCarbon([1, 1_234_567n, 0n, DEADLINE], as("implementer")));
  const sell = () => gasOf(pool.write.sellCarbon([1, 7_654_321n, 0n, DEADLINE], as("supplier")));
  const give = () => gasOf(carbon.write.transfer([address("supplier"), 20n * CARBON], as("implementer")));
  await buy();
  await give();
  const pay = () => gasOf(stablecoin.write.transfer([address("supplier"), 12_345n], as("implementer")));
  figures["two ERC-20 transfers, stablecoin and CARBON"] = (await pay()) + (await give());
  await sell();
  figures["buy CARBON of the pool"] = await buy();
  figures["sell CARBON to the pool"] = await sell();
  const byOrder = (side: "sell" | "buy", nonce: bigint) => swapByOrder(world, side, nonce);
  await byOrder("buy", 1n);
  await byOrder("sell", 1n);
  figures["buy CARBON by order with permit"] = await byOrder("buy", 2n);
  figures["sell CARBON by order with permit"] = await byOrder("sell", 2n);
}

async function swapByOrder(world: GasWorld, side: "sell" | "buy", nonce: bigint): Promise<number> {
  const { pool, carbon, stablecoin, gasOf, as } = world;
  const { by, type, party } = sides[side];
  const order = { party: 1, amountIn: 1_234_567n, minOut: 1n, nonce, deadline: DEADLINE };
  const { party: number, ...rest } = order;
  const message = { [by]: number, ...rest };
  const fields = [party, ...ORDER];
  const signature = await signTyped(world, { by, name: "Hearth Pool", contract: pool.address, type, fields, message });
  const permit = await signPermit(world, by, side === "sell" ? carbon : stablecoin, pool.address, order.amountIn);
  const args = [order, signature, permit] as const;
  return gasOf(
    side === "sell" ? pool.write.sellCarbonFor(args, as("operator")) : pool.write.buyCarbonFor(args, as("operator")),
  );
}

/** A conversion order signed by the implementer and sent by the relayer, with a permit. */
export async function requestByOrder(world: GasWorld, amount: bigint, nonce: bigint): Promise<number> {
  const { itmo, carbon, gasOf, as } = world;
  const order = { implementer: 1, amount, authorization: 1, vintage: 2024 };
  const signing = { by: "implementer", name: "Hearth ITMO", contract: itmo.address, type: "ConversionOrder" } as const;
  const message = { ...order, nonce, deadline: DEADLINE };
  const signature = await signTyped(world, { ...signing, fields: CONVERSION, message });
  const permit = await signPermit(world, "implementer", carbon, itmo.address, amount);
  return gasOf(itmo.write.requestConversionFor([order, nonce, DEADLINE, signature, permit], as("operator")));
}
