import { useTranslation } from "react-i18next";
import { cardCode } from "../../../../wire/src/card-code.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { CardActions } from "./card-actions.tsx";

type Card = Schemas["Card"];

/** Columns of lists of cards: which one, its status, when it changed, and what can be done with it. */
export function useCardColumns(): Record<"card" | "status" | "changed" | "action", Column<Card>> {
  const { t } = useTranslation();
  return {
    card: {
      key: "card",
      header: t("implementer.cards.card"),
      cell: ({ cardId }) => cardCode(cardId),
      width: "9rem",
    },
    status: {
      key: "status",
      header: t("implementer.cards.status"),
      cell: ({ status }) => <StateBadge kind="card" state={status} />,
      width: "8rem",
    },
    changed: {
      key: "changed",
      header: t("implementer.cards.changed"),
      cell: ({ changedAt }) => <Moment at={changedAt} />,
      width: "11rem",
      wideOnly: true,
    },
    action: {
      key: "action",
      header: t("implementer.cards.actions"),
      cell: (card) => <CardActions card={card} />,
      width: "13rem",
    },
  };
}
