import { Select } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { useProducts } from "../use-products.ts";

/** Choose the product. Shown when the products are loaded, since typing before that would select nothing. */
export function ProductInput(input: GetInputPropsReturnType) {
  const { t } = useTranslation();
  const products = useProducts();
  if (products.isLoading) return <Loading />;
  if (products.isError && products.data === undefined)
    return <ErrorNotice error={products.error} onRetry={() => void products.refetch()} />;
  return (
    <Select
      label={t("supplier.redeem.product")}
      data={(products.data ?? []).map(({ productId, name }) => ({ value: productId, label: `${name} (${productId})` }))}
      nothingFoundMessage={t("supplier.redeem.noProducts")}
      searchable
      selectFirstOptionOnChange
      required
      {...input}
    />
  );
}
