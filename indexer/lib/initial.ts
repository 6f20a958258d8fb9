/** A day of the pool before its first swap. */
export const initialDay = {
  carbonBought: 0n,
  stablecoinPaid: 0n,
  purchases: 0,
  carbonSold: 0n,
  stablecoinReceived: 0n,
  sales: 0,
};

/** The one row of `pool` before anything is set. */
export const initialPool = {
  id: "pool",
  price: null,
  fee: 0,
  paused: false,
  capPerTransaction: null,
  capPerWindow: null,
  capPerDay: null,
  capLifetime: null,
  capPerSupplierDay: null,
  carbonReserve: 0n,
  stablecoinReserve: 0n,
  ...initialDay,
};
