import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { PageFrame } from "../../show/page-frame.tsx";
import { useStateWord } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { cardChanges } from "./card-actions.tsx";
import { useCardColumns } from "./card-columns.tsx";
import { SheetButtons } from "./sheet-buttons.tsx";

type Card = Schemas["Card"];

const statuses = ["issued", "linked", "active", "blocked", "replaced"] as const;

/** The cards of a batch, in the order of the printed sheets: link, hand over, block and replace them. */
export function BatchPage() {
  const { t } = useTranslation();
  const { batchId = "" } = useParams({ strict: false });
  const word = useStateWord("card");
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("implementer.cards.status"),
        options: statuses.map((value) => ({ value, label: word(value) })),
      },
    },
  });
  const status = list.values.status as Card["status"] | undefined;
  const rows = useCursorRows<Card>({
    queryKey: [...cardChanges, batchId, status],
    page: (at, signal) =>
      hearth.get("/v1/cards", { query: { ...at, batchId, ...(status === undefined ? {} : { status }) }, signal }),
    staleTime: 0,
  });
  const { card, status: state, changed, action } = useCardColumns();
  const columns: Column<Card>[] = [
    { key: "place", header: t("implementer.cards.place"), cell: ({ place }) => place, align: "end", width: "5rem" },
    card,
    state,
    {
      key: "household",
      header: t("implementer.cards.household"),
      cell: ({ householdDid }) => householdDid ?? t("common.none"),
      width: "14rem",
    },
    changed,
    action,
  ];
  return (
    <PageFrame
      title={t("implementer.cards.batchTitle", { batch: batchId })}
      lead={t("implementer.cards.batchLead")}
      actions={<SheetButtons batchId={batchId} />}
    >
      <FilteredList
        list={list}
        label={t("implementer.cards.cards")}
        empty={t("implementer.cards.noCards")}
        columns={columns}
        rows={rows}
        rowKey={({ cardId }) => cardId}
      />
    </PageFrame>
  );
}
