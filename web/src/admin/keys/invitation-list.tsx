import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

type Invitation = Schemas["Invitation"];

/** Every invitation, newest first; one that is open can be revoked. */
export function InvitationList() {
  const { t } = useTranslation();
  const rows = useCursorRows({
    queryKey: ["admin", "invitations"],
    page: (at, signal) => hearth.get("/v1/invitations", { query: at, signal }),
    // Read again each time, so that it shows who has joined.
    staleTime: 0,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => hearth.delete("/v1/invitations/{id}", { path: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["admin", "invitations"] }),
  });
  const columns: Column<Invitation>[] = [
    {
      key: "name",
      header: t("people.name"),
      cell: ({ key }) => <span translate="no">{key.name}</span>,
      width: "12rem",
    },
    { key: "role", header: t("people.role"), cell: ({ key }) => t(`shell.role.${key.role}`), width: "8rem" },
    {
      key: "state",
      header: t("people.state"),
      cell: ({ state }) => <StateBadge kind="invitation" state={state} />,
      width: "7rem",
    },
    { key: "until", header: t("people.until"), cell: (row) => <Moment at={row.expiresAt} />, width: "10rem" },
    {
      key: "revoke",
      header: t("people.action"),
      width: "7rem",
      cell: ({ id, state, key }) =>
        state === "open" && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("people.revoke")} ${key.name}`}
            onClick={() => revoke.mutate(id)}
          >
            {t("people.revoke")}
          </Button>
        ),
    },
  ];
  return (
    <>
      {revoke.isError && <ErrorNotice error={revoke.error} />}
      <DataTable
        label={t("people.invitations")}
        empty={t("people.noInvitations")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
    </>
  );
}
