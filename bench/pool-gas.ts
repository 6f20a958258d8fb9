import { type Address, parseSignature } from "viem";
import { conversionOrder, swapOrder, tokenPermit } from "../wire/src/typed-data.ts";
import type { GasFigures, GasWorld } from "./gas-world.ts";

const CARBON = 1_000_000n;
const DEADLINE = 2n ** 63n;

type Party = "supplier" | "implementer";

const domainOf = async ({ client }: GasWorld, verifyingContract: Address) => ({
  chainId: await client.getChainId(),
  verifyingContract,
});

type Token = GasWorld["carbon"] | GasWorld["stablecoin"];

/** Sign an ERC-2612 permit in the form that the contracts accept. */
async function signPermit(world: GasWorld, by: Party, token: Token, spender: Address, value: bigint) {
  const owner = world.address(by);
  const [name, nonce] = [await token.read.name(), await token.read.nonces([owner])];
  const domain = { name, version: "1", ...(await domainOf(world, token.address)) };
  const permit = tokenPermit(domain, { owner, spender, value, nonce, deadline: DEADLINE });
  const { r, s, yParity } = parseSignature(await world.who[by].signTypedData(permit));
  return { v: yParity + 27, r, s };
}

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
  const by = side === "sell" ? "supplier" : "implementer";
  const order = { party: 1, amountIn: 1_234_567n, minOut: 1n, nonce, deadline: DEADLINE };
  const signature = await world.who[by].signTypedData(swapOrder(await domainOf(world, pool.address), side, order));
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
  const signed = conversionOrder(await domainOf(world, itmo.address), { ...order, nonce, deadline: DEADLINE });
  const signature = await world.who.implementer.signTypedData(signed);
  const permit = await signPermit(world, "implementer", carbon, itmo.address, amount);
  return gasOf(itmo.write.requestConversionFor([order, nonce, DEADLINE, signature, permit], as("operator")));
}
