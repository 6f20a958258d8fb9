import { useQuery } from "@tanstack/react-query";
import { hearth } from "../api/client.ts";
import { keep, kept } from "../session/vault.ts";
import type { Product } from "./records.ts";

const name = "supplier.products";

/** Approved products; without a network, the last known ones. */
export function useProducts() {
  const products = useQuery({
    queryKey: ["supplier", "products"],
    queryFn: async ({ signal }) => {
      const approved: Product[] = [];
      for await (const product of hearth.items("/v1/products", { query: { limit: 500 }, signal })) {
        if (product.status === "approved") approved.push(product);
      }
      keep(name, approved);
      return approved;
    },
  });
  // Also after a request that failed, when a placeholder would be gone.
  return { ...products, data: products.data ?? kept<Product[]>(name) };
}
