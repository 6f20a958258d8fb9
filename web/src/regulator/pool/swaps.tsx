import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../../wire/src/index-rows.ts";
import { Amount } from "../../show/amount.tsx";
import { Moment } from "../../show/moment.tsx";
import type { Column } from "../../table/data-table.tsx";
import { IndexList } from "../index-list.tsx";
import { TraceLink } from "../trace-link.tsx";

const fields = ["publicId", "side", "carbonAmount", "stablecoinAmount", "price", "swappedAt"] as const;
type Swap = IndexRow<"swap", (typeof fields)[number]>;

/** All swaps at the pool, newest first. */
export function Swaps() {
  const { t } = useTranslation();
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
    <IndexList
      label={t("regulator.pool.swaps")}
      empty={t("regulator.pool.noSwaps")}
      table="swap"
      fields={fields}
      id="publicId"
      firstSort={{ by: "sequence", direction: "desc" }}
      columns={columns}
      pathOf={null}
    />
  );
}
