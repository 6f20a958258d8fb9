import { isoTime } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { jsonAmount, jsonScaled } from "../../platform/values/numbers.ts";
import { basis, quoteSwap } from "./arithmetic.ts";
import type { PoolDeps } from "./deps.ts";
import { type PoolState, windowSeconds } from "./pool.ts";
import type { PoolResponse, Solvency } from "./schemas.ts";
import { type Bound, jsonFee, jsonOrNull } from "./units.ts";

type SupplierRoom = { perSupplierDay: Bound; now: bigint };

/**
 * Describe the pool at the latest block: price, fee, reserves, remaining caps, solvency. Public.
 * @throws AppError NOT_FOUND for a supplier that is not registered; UNAVAILABLE
 */
export async function getPool(
  deps: PoolDeps,
  { supplierDid }: { supplierDid?: string | undefined },
): Promise<PoolResponse> {
  const { pool, chain, registry } = deps;
  const state = await pool.reader.now();
  if (supplierDid === undefined) return serializePool(chain.addresses, state);
  const supplier = await registry.suppliers.byDid(supplierDid);
  if (supplier === null) throw new AppError("NOT_FOUND", `There is no supplier ${supplierDid}.`);
  return serializePool(chain.addresses, state, await pool.reader.supplierRoom(supplier.supplier, state.block));
}

function serializePool(
  addresses: { pool: string; carbon: string },
  state: PoolState,
  supplier: SupplierRoom = { perSupplierDay: state.caps.perSupplierDay, now: state.swappable.sell },
): PoolResponse {
  const { block, price, fee, caps, reserves } = state;
  return {
    address: addresses.pool,
    carbon: { address: addresses.carbon },
    stablecoin: { address: state.stablecoin },
    blockNumber: Number(block.number),
    blockTime: isoTime(block.timestamp),
    paused: state.paused,
    price: jsonAmount(price),
    fee: jsonFee(fee),
    buyPrice: jsonScaled(price * (basis + fee), 10),
    sellPrice: jsonScaled(price * (basis - fee), 10),
    reserves: { carbon: jsonAmount(reserves.carbon), stablecoin: jsonAmount(reserves.stablecoin) },
    caps: {
      perTransaction: jsonOrNull(caps.perTransaction),
      perWindow: jsonOrNull(caps.perWindow),
      windowSeconds,
      perDay: jsonOrNull(caps.perDay),
      lifetime: jsonOrNull(caps.lifetime),
      perSupplierDay: jsonOrNull(caps.perSupplierDay),
    },
    capsLeft: serializeRoom(state, supplier),
    solvency: serializeSolvency(state),
  };
}

function serializeRoom({ room, caps, swappable }: PoolState, supplier: SupplierRoom): PoolResponse["capsLeft"] {
  if (room === null) return null;
  const perTransaction = jsonOrNull(caps.perTransaction);
  const of = ({ perWindow, perDay, lifetime }: typeof room.buy) => ({
    perTransaction,
    perWindow: jsonOrNull(perWindow),
    perDay: jsonOrNull(perDay),
    lifetime: jsonOrNull(lifetime),
  });
  return {
    buy: { ...of(room.buy), now: jsonAmount(swappable.buy) },
    sell: { ...of(room.sell), perSupplierDay: jsonOrNull(supplier.perSupplierDay), now: jsonAmount(supplier.now) },
  };
}

type Check = Solvency["checks"][number];

/** Compare the counted reserves with the pool's token balances, and with the CARBON that suppliers may still sell. */
export function serializeSolvency(state: PoolState): Solvency {
  const { block, reserves, held, escrowed } = state;
  const stablecoin = escrowed === null ? null : quoteSwap("sell", { amountIn: escrowed }, state).amountOut;
  const checks: Check[] = [
    judge("carbon-held", "The pool holds the CARBON that it counts", held.carbon, (found) => found >= reserves.carbon),
    judge(
      "stablecoin-held",
      "The pool holds the stablecoin that it counts",
      held.stablecoin,
      (found) => found >= reserves.stablecoin,
    ),
    judge(
      "obligations-covered",
      "Counted stablecoin pays for all CARBON in escrow",
      stablecoin,
      (owed) => reserves.stablecoin >= owed,
    ),
  ];
  const unknown = checks.some(({ status }) => status === null);
  const violated = checks.some(({ status }) => status === "violated");
  return {
    solvent: violated ? false : unknown ? null : true,
    blockNumber: Number(block.number),
    blockHash: block.hash,
    held: { carbon: jsonOrNull(held.carbon), stablecoin: jsonOrNull(held.stablecoin) },
    obligations:
      escrowed === null || stablecoin === null
        ? null
        : { carbon: jsonAmount(escrowed), stablecoin: jsonAmount(stablecoin) },
    checks,
  };
}

function judge(id: string, title: string, figure: bigint | null, holds: (figure: bigint) => boolean): Check {
  if (figure === null) return { id, title, status: null, reason: "A contract did not give the figure at this block." };
  return { id, title, status: holds(figure) ? "ok" : "violated" };
}
