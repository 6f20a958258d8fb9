import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { cardChanges } from "../cards/card-actions.tsx";
import { useCardColumns } from "../cards/card-columns.tsx";

type Card = Schemas["Card"];

/** The cards that a household has and had. */
export function HouseholdCards({ did }: { did: string }) {
  const { t } = useTranslation();
  const rows = useCursorRows<Card>({
    queryKey: [...cardChanges, "of", did],
    page: (at, signal) => hearth.get("/v1/cards", { query: { ...at, householdDid: did }, signal }),
    staleTime: 0,
  });
  const { card, status, changed, action } = useCardColumns();
  return (
    <DataTable
      label={t("implementer.access.cards")}
      empty={t("implementer.access.noCard")}
      columns={[card, status, changed, action]}
      rows={rows}
      rowKey={({ cardId }) => cardId}
    />
  );
}
