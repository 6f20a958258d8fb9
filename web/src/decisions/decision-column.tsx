import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.ts";
import type { Column } from "../table/data-table.tsx";
import { waiting } from "./waiting.ts";

/** The column of a list that leads to the records about which the signed-in person can decide; none for another role. */
export function useDecisionColumn<Row>(
  kind: keyof typeof waiting,
  recordOf: (row: Row) => { id: string; state: string },
): Column<Row>[] {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const roles: readonly string[] = waiting[kind].roles;
  const states: readonly string[] = waiting[kind].states;
  if (role === undefined || !roles.includes(role)) return [];
  const cell = (row: Row) => {
    const { id, state } = recordOf(row);
    if (!states.includes(state)) return null;
    return (
      <Button
        component={Link}
        to={`/regulator/trace/${encodeURIComponent(id)}`}
        size="compact-sm"
        aria-label={t("regulator.decide.about", { id })}
      >
        {t("regulator.decide.open")}
      </Button>
    );
  };
  return [{ key: "decide", header: t("regulator.decide.column"), width: "7rem", text: () => null, cell }];
}
