import { useTranslation } from "react-i18next";
import { cardCode } from "../../../../wire/src/card-code.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { CardActions, cardChanges } from "../cards/card-actions.tsx";

type Card = Schemas["Card"];

/** The cards that a household has and had. */
export function HouseholdCards({ did }: { did: string }) {
  const { t } = useTranslation();
  const rows = useCursorRows<Card>({
    queryKey: [...cardChanges, "of", did],
    page: (at, signal) => hearth.get("/v1/cards", { query: { ...at, householdDid: did }, signal }),
    staleTime: 0,
  });
  const columns: Column<Card>[] = [
    { key: "card", header: t("implementer.cards.card"), cell: ({ cardId }) => cardCode(cardId), width: "9rem" },
    {
      key: "status",
      header: t("implementer.cards.status"),
      cell: ({ status }) => <StateBadge kind="card" state={status} />,
      width: "8rem",
    },
    {
      key: "changed",
      header: t("implementer.cards.changed"),
      cell: ({ changedAt }) => <Moment at={changedAt} />,
      width: "11rem",
      wideOnly: true,
    },
    {
      key: "action",
      header: t("implementer.cards.actions"),
      cell: (card) => <CardActions card={card} />,
      width: "13rem",
    },
  ];
  return (
    <DataTable
      label={t("implementer.access.cards")}
      empty={t("implementer.access.noCard")}
      columns={columns}
      rows={rows}
      rowKey={({ cardId }) => cardId}
    />
  );
}
