import { History } from "./history.ts";

/** A history with one of everything: births, first transfers, transfers, uses of both kinds, cancellations, OMGE. */
export function tellOne(): History {
  const told = new History();
  told.take({ do: "mint", authorization: 0, tonnes: 20, certificate: 0, mixed: false });
  told.take({ do: "mint", authorization: 1, tonnes: 10, certificate: 1, mixed: true });
  told.take({ do: "transfer", conversion: 0, from: 0, tonnes: 10, party: 1 });
  told.take({ do: "transfer", conversion: 0, from: 2, tonnes: 3, party: 2 });
  told.take({ do: "use", conversion: 0, from: 5, tonnes: 5, forNdc: true });
  told.take({ do: "use", conversion: 1, from: 0, tonnes: 2, forNdc: false });
  told.take({ do: "omge", conversion: 0, from: 18, tonnes: 2, party: 0 });
  told.take({ do: "cancel", conversion: 1, from: 8, tonnes: 2, party: 0 });
  return told;
}
