import { useQuery } from "@tanstack/react-query";
import { request } from "../api/request.ts";
import { keep, kept } from "../session/vault.ts";
import type { Product } from "./records.ts";

const name = "supplier.products";

/** Approved products; those that were seen last are offered where there is no network. */
export function useProducts() {
  const last = kept<Product[]>(name);
  return useQuery({
    queryKey: ["supplier", "products"],
    placeholderData: last,
    queryFn: async ({ signal }) => {
      const found: Product[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 500, cursor };
        const page = await request<{ items: Product[]; nextCursor: string | null }>("GET", "/v1/products", {
          query,
          signal,
        });
        found.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      const approved = found.filter(({ status }) => status === "approved");
      keep(name, approved);
      return approved;
    },
  });
}
