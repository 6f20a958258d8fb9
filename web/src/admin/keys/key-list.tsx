import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { useSession } from "../../session/session.ts";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

type ApiKey = Schemas["ApiKey"];

/** Every API key, oldest first; one that is valid can be revoked. */
export function KeyList() {
  const { t } = useTranslation();
  const own = useSession().key?.holder.id;
  const [chosen, setChosen] = useState<ApiKey>();
  const rows = useCursorRows({
    queryKey: ["admin", "keys"],
    page: (at, signal) => hearth.get("/v1/keys", { query: at, signal }),
    staleTime: 0,
  });
  const columns: Column<ApiKey>[] = [
    {
      key: "name",
      header: t("admin.people.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "12rem",
    },
    { key: "role", header: t("admin.people.role"), cell: ({ role }) => t(`shell.role.${role}`), width: "8rem" },
    {
      key: "state",
      header: t("admin.people.state"),
      cell: (row) => <StateBadge kind="apiKey" state={stateOf(row)} />,
      width: "7rem",
    },
    {
      key: "for",
      header: t("admin.people.actsFor"),
      cell: ({ supplierDid, implementerDid }) => supplierDid ?? implementerDid ?? t("common.none"),
      width: "12rem",
      wideOnly: true,
    },
    { key: "id", header: t("admin.people.keyId"), cell: ({ id }) => id, width: "9rem", wideOnly: true },
    {
      key: "made",
      header: t("admin.people.made"),
      cell: (row) => <Moment at={row.createdAt} />,
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "revoke",
      header: t("admin.people.action"),
      width: "7rem",
      cell: (row) =>
        stateOf(row) === "valid" &&
        row.id !== own && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("admin.people.revoke")} ${row.name}`}
            onClick={() => setChosen(row)}
          >
            {t("admin.people.revoke")}
          </Button>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={t("admin.people.keys")}
        empty={t("admin.people.noKeys")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {chosen !== undefined && <RevokeDialog apiKey={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function RevokeDialog({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const revoke = useMutation({
    mutationFn: () => hearth.delete("/v1/keys/{id}", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("admin.people.revokeTitle", { name })} onClose={onClose}>
      <ConfirmForm work={revoke} submit={t("admin.people.revoke")} onCancel={onClose}>
        {t("admin.people.revokeHint")}
      </ConfirmForm>
    </Dialog>
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey): "valid" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "valid";
}
