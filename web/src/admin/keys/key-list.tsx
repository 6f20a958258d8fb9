import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { stateOf } from "./key-state.ts";
import { useRevocation } from "./use-revocation.tsx";

type ApiKey = Schemas["ApiKey"];

/** Every API key, oldest first; one that is valid can be revoked. */
export function KeyList() {
  const { t } = useTranslation();
  const revocation = useRevocation({ except: useSession().key?.holder.id });
  const rows = useCursorRows({
    queryKey: ["admin", "keys"],
    page: (at, signal) => hearth.get("/v1/keys", { query: at, signal }),
    staleTime: 0,
  });
  const columns: Column<ApiKey>[] = [
    {
      key: "name",
      header: t("people.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "12rem",
    },
    { key: "role", header: t("people.role"), cell: ({ role }) => t(`shell.role.${role}`), width: "8rem" },
    {
      key: "state",
      header: t("people.state"),
      cell: (row) => <StateBadge kind="apiKey" state={stateOf(row)} />,
      width: "7rem",
    },
    {
      key: "for",
      header: t("people.actsFor"),
      cell: ({ supplierDid, implementerDid }) => supplierDid ?? implementerDid ?? t("common.none"),
      width: "12rem",
      wideOnly: true,
    },
    { key: "id", header: t("people.keyId"), cell: ({ id }) => id, width: "9rem", wideOnly: true },
    {
      key: "made",
      header: t("people.made"),
      cell: (row) => <Moment at={row.createdAt} />,
      width: "10rem",
      wideOnly: true,
    },
    revocation.column,
  ];
  return (
    <>
      <DataTable
        label={t("people.keys")}
        empty={t("people.noKeys")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {revocation.dialog}
    </>
  );
}
