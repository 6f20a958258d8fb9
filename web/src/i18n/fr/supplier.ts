import type { supplier as english } from "../en/supplier.ts";

export const supplier: typeof english = {
  area: "Fournisseur",
};
