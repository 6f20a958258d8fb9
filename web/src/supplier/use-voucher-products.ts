import { useQuery } from "@tanstack/react-query";
import { hearth } from "../api/client.ts";
import type { Product } from "./records.ts";
import { useProducts } from "./use-products.ts";

/**
 * The products that a voucher pays for: the approved ones of its monitoring plan. Where the voucher could not be read, all
 * approved products; its plan is then checked when the order is sent.
 */
export function useVoucherProducts(voucherId: string, isRead: boolean) {
  const every = useProducts();
  const ofPlan = useQuery({
    queryKey: ["supplier", "vouchers", voucherId, "products"],
    enabled: isRead,
    queryFn: async ({ signal }) => {
      const products: Product[] = [];
      const query = { limit: 500 };
      for await (const product of hearth.items("/v1/vouchers/{voucherId}/products", {
        path: { voucherId },
        query,
        signal,
      }))
        products.push(product);
      return products;
    },
  });
  return isRead ? ofPlan : every;
}
