import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

type Progress = Schemas["CollectionProgress"];

/** How many records each person has sent from each village, and how many of them still need something. */
export function ProgressTable() {
  const { t } = useTranslation();
  const rows = useCursorRows<Progress>({
    queryKey: ["implementer", "records", "progress"],
    page: (at, signal) => hearth.get("/v1/odk/progress", { query: at, signal }),
    staleTime: 0,
  });
  const count = (name: "accepted" | "waiting" | "refused", read: (row: Progress) => number): Column<Progress> => ({
    key: name,
    header: t(`implementer.records.counts.${name}`),
    cell: (row) => t("implementer.records.count", { count: read(row) }),
    text: read,
    width: "6.5rem",
    align: "end",
  });
  const columns: Column<Progress>[] = [
    {
      key: "person",
      header: t("implementer.records.person"),
      cell: ({ collector }) => <span translate="no">{collector.name ?? collector.id}</span>,
      text: ({ collector }) => collector.name ?? collector.id,
      width: "8rem",
    },
    {
      key: "region",
      header: t("implementer.records.village"),
      cell: ({ region }) => region ?? t("implementer.records.regionUnknown"),
      text: ({ region }) => region,
      width: "7.5rem",
    },
    // First what needs something to be done, so that a phone shows it without scrolling.
    count("refused", ({ refused }) => refused),
    count("waiting", ({ incomplete, received, waiting }) => incomplete + received + waiting),
    count("accepted", ({ accepted }) => accepted),
    {
      key: "last",
      header: t("implementer.records.last"),
      cell: ({ lastReceivedAt }) => <Moment at={lastReceivedAt} />,
      text: ({ lastReceivedAt }) => lastReceivedAt,
      width: "11rem",
    },
  ];
  return (
    <DataTable
      label={t("implementer.records.progress")}
      empty={t("implementer.records.empty")}
      columns={columns}
      rows={rows}
      rowKey={({ collector, region }) => `${collector.id} ${region}`}
      wraps
    />
  );
}
