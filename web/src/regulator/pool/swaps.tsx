import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "../../show/amount.tsx";
import { Moment } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { type Sort, useIndexRows } from "../../table/use-index-rows.ts";
import { TraceLink } from "../trace-link.tsx";

type Swap = {
  publicId: string;
  side: "sell" | "buy";
  carbonAmount: string;
  stablecoinAmount: string;
  price: string;
  swappedAt: string;
};
const fields = "publicId side carbonAmount stablecoinAmount price swappedAt";

/** Every swap at the pool, the newest first. */
export function Swaps() {
  const { t } = useTranslation();
  const [sort, setSort] = useState<Sort>({ by: "sequence", direction: "desc" });
  const rows = useIndexRows<Swap>({ list: "swaps", row: "swap", fields, sort });
  const columns: Column<Swap>[] = [
    {
      key: "id",
      header: t("regulator.column.id"),
      width: "13rem",
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    {
      key: "side",
      header: t("regulator.column.side"),
      width: "13rem",
      cell: ({ side }) => t(`regulator.pool.${side}`),
    },
    {
      key: "carbon",
      header: t("regulator.column.carbon"),
      align: "end",
      sortBy: "carbonAmount",
      cell: (row) => <Amount micro={row.carbonAmount} unit="carbon" />,
    },
    {
      key: "stablecoin",
      header: t("regulator.column.stablecoin"),
      align: "end",
      sortBy: "stablecoinAmount",
      cell: (row) => <Amount micro={row.stablecoinAmount} unit="stablecoin" />,
    },
    {
      key: "time",
      header: t("regulator.column.time"),
      width: "12rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.swappedAt} />,
    },
  ];
  return (
    <DataTable
      label={t("regulator.pool.swaps")}
      empty={t("regulator.pool.noSwaps")}
      {...{ columns, rows, sort, onSort: setSort }}
      rowKey={({ publicId }) => publicId}
    />
  );
}
