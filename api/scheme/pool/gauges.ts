import type { Gauges } from "../../platform/gauges.ts";
import type { PoolReader } from "./pool.ts";

/** Show what the pool holds and may still swap. Prometheus has only floating point: these are for alerts, not for accounts. */
export function addPoolGauges(gauges: Gauges, pool: PoolReader): void {
  const units = (amount: bigint) => Number(amount) / 1e6;
  gauges.add({
    group: "pool",
    gauges: {
      pool_paused: "1 while the pool is paused, else 0.",
      pool_reserve_carbon: "CARBON in the pool.",
      pool_reserve_stablecoin: "Stablecoin in the pool.",
      pool_sellable_carbon: "CARBON that suppliers may sell now, within the reserve and all caps.",
      pool_buyable_carbon: "CARBON that implementers may buy now, within the reserve and all caps.",
    },
    read: async () => {
      const { paused, reserves, swappable } = await pool.now();
      return {
        pool_paused: paused ? 1 : 0,
        pool_reserve_carbon: units(reserves.carbon),
        pool_reserve_stablecoin: units(reserves.stablecoin),
        pool_sellable_carbon: units(swappable.sell),
        pool_buyable_carbon: units(swappable.buy),
      };
    },
  });
}
