import { useQuery } from "@tanstack/react-query";
import { hearth } from "../api/client.ts";
import { keep, kept } from "../session/vault.ts";
import type { Product } from "./records.ts";

const name = "supplier.products";

/** Approved products; without a network, the last known ones. */
export function useProducts() {
  const last = kept<Product[]>(name);
  return useQuery({
    queryKey: ["supplier", "products"],
    placeholderData: last,
    queryFn: async ({ signal }) => {
      const approved: Product[] = [];
      for await (const product of hearth.items("/v1/products", { query: { limit: 500 }, signal })) {
        if (product.status === "approved") approved.push(product);
      }
      keep(name, approved);
      return approved;
    },
  });
}
