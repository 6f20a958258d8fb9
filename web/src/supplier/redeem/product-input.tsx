import { Select } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { useAmountText } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { useMoneyText } from "../../show/money.tsx";
import type { Product } from "../records.ts";
import type { useVoucherProducts } from "../use-voucher-products.ts";
import { carbonOf, priceOf } from "./price-share.ts";

type ProductInputProps = GetInputPropsReturnType & { products: ReturnType<typeof useVoucherProducts> };

/** Choose the product. Shown when the products are loaded, since typing before that would select nothing. */
export function ProductInput({ products, ...input }: ProductInputProps) {
  const { t } = useTranslation();
  const priceText = usePriceText();
  const { data, isLoading, isError, error, refetch } = products;
  if (isLoading) return <Loading />;
  if (isError && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const labelOf = (product: Product) => [product.name, priceText(product)].filter((part) => part !== "").join(" · ");
  return (
    <Select
      label={t("supplier.redeem.product")}
      data={(data ?? []).map((product) => ({ value: product.productId, label: labelOf(product) }))}
      nothingFoundMessage={t("supplier.redeem.noProducts")}
      searchable
      selectFirstOptionOnChange
      required
      translate="no"
      {...input}
    />
  );
}

/** Return a function that writes a product's price and the CARBON that it takes; empty where neither is set. */
export function usePriceText(): (product: Product) => string {
  const money = useMoneyText();
  const amount = useAmountText();
  return (product) => {
    const [price, carbon] = [priceOf(product), carbonOf(product)];
    return [
      ...(price === undefined ? [] : [money(price)]),
      ...(carbon === undefined ? [] : [amount({ micro: carbon }, "carbon")]),
    ].join(" = ");
  };
}
