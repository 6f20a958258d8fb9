import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toMicro } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { useMoneyText } from "../../show/money.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { RecordsPage } from "../records/records-page.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { ProductDialog } from "./product-dialog.tsx";

type Product = Schemas["Product"];
type Decision = NonNullable<Schemas["ProductChange"]["status"]>;

/** Register the products that vouchers pay for, approve and withdraw them. */
export function ProductsPage() {
  const { t } = useTranslation();
  return (
    <RecordsPage
      title={t("nav.admin.products")}
      lead={t("admin.products.lead")}
      add={t("admin.products.register")}
      dialog={(close) => <ProductDialog onClose={close} />}
    >
      <Products />
    </RecordsPage>
  );
}

function Products() {
  const { t } = useTranslation();
  const money = useMoneyText();
  const [priced, setPriced] = useState<Product>();
  const rows = useCursorRows<Product>({
    queryKey: ["admin", "products"],
    page: (at, signal) => hearth.get("/v1/products", { query: at, signal }),
  });
  const decide = useMutation({
    mutationFn: ({ productId, status }: { productId: string; status: Decision }) =>
      hearth.patch("/v1/products/{productId}", { path: { productId }, body: { status } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["admin", "products"] }),
  });
  const action = ({ productId, name, status }: Product, next: Decision) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${t(`admin.products.${next}`)} ${name}`}
      loading={decide.isPending && decide.variables.productId === productId}
      onClick={() => decide.mutate({ productId, status: next })}
      key={`${productId}-${status}`}
    >
      {t(`admin.products.${next}`)}
    </Button>
  );
  const columns: Column<Product>[] = [
    {
      key: "name",
      header: t("admin.participants.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "12rem",
    },
    {
      key: "status",
      header: t("people.state"),
      cell: ({ status }) => <StateBadge kind="product" state={status} />,
      width: "8rem",
    },
    {
      key: "action",
      header: t("people.action"),
      width: "8rem",
      cell: (row) => <Group>{action(row, row.status === "approved" ? "withdrawn" : "approved")}</Group>,
    },
    { key: "id", header: t("admin.products.id"), cell: ({ productId }) => productId, width: "9rem" },
    {
      key: "category",
      header: t("admin.products.category"),
      cell: (row) => <span translate="no">{row.category}</span>,
      width: "9rem",
      wideOnly: true,
    },
    {
      key: "unit",
      header: t("admin.products.unit"),
      cell: ({ unit }) => <span translate="no">{unit}</span>,
      width: "7rem",
      wideOnly: true,
    },
    {
      key: "price",
      header: t("admin.products.price.column"),
      cell: (row) => {
        const { price, name } = row;
        const label =
          price === null
            ? t("admin.products.price.set")
            : money({ micro: toMicro(price.amount), currency: price.currency });
        return (
          <Button size="compact-sm" variant="default" aria-label={`${label} ${name}`} onClick={() => setPriced(row)}>
            {label}
          </Button>
        );
      },
      width: "9rem",
      align: "end",
    },
    {
      key: "most",
      header: t("admin.products.most"),
      cell: ({ maxAmountPerRedemption: most }) => (most === null ? t("common.none") : <Amount value={most} />),
      width: "9rem",
      align: "end",
      wideOnly: true,
    },
  ];
  return (
    <>
      {decide.isError && <ErrorNotice error={decide.error} />}
      <DataTable
        label={t("nav.admin.products")}
        empty={t("admin.products.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ productId }) => productId}
      />
      {priced !== undefined && <PriceDialog product={priced} onClose={() => setPriced(undefined)} />}
    </>
  );
}
