import { Code } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { StateBadge, useStateWord } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { stateOf } from "./key-state.ts";
import { useRevocation } from "./use-revocation.tsx";

type ApiKey = Schemas["ApiKey"];

/** Every integrator's key, oldest first, with what it may do and when it was last used. */
export function ProgramKeyList() {
  const { t } = useTranslation();
  const word = useStateWord("apiKey");
  const revocation = useRevocation({ hint: t("keys.revokeHint") });
  const rows = useCursorRows({
    queryKey: ["admin", "keys", "integrator"],
    page: (at, signal) => hearth.get("/v1/keys", { query: { ...at, role: "integrator" }, signal }),
    staleTime: 0,
  });
  const columns: Column<ApiKey>[] = [
    {
      key: "name",
      header: t("people.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      text: ({ name }) => name,
      width: "8rem",
    },
    {
      key: "may",
      header: t("keys.may"),
      cell: ({ scopes }) => (scopes.length === 0 ? t("keys.onlyRead") : <Scopes scopes={scopes} />),
      text: ({ scopes }) => scopes.join(" "),
      width: "11rem",
    },
    {
      key: "for",
      header: t("people.actsFor"),
      cell: ({ dids }) => (dids === null ? t("keys.anyone") : <span translate="no">{dids.join(", ")}</span>),
      text: ({ dids }) => dids?.join(" "),
      width: "11rem",
      wideOnly: true,
    },
    {
      key: "state",
      header: t("people.state"),
      cell: (row) => <StateBadge kind="apiKey" state={stateOf(row)} />,
      text: (row) => word(stateOf(row)),
      width: "6.5rem",
    },
    {
      key: "used",
      header: t("keys.lastUsed"),
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("keys.never") : <Moment at={lastUsedAt} />),
      text: ({ lastUsedAt }) => lastUsedAt,
      width: "8rem",
    },
    {
      key: "until",
      header: t("keys.until"),
      cell: ({ expiresAt }) => (expiresAt === null ? t("keys.noEnd") : <Moment at={expiresAt} />),
      text: ({ expiresAt }) => expiresAt,
      width: "8rem",
      wideOnly: true,
    },
    revocation.column,
  ];
  return (
    <>
      <DataTable
        label={t("nav.admin.keys")}
        empty={t("keys.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        wraps
      />
      {revocation.dialog}
    </>
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  return scopes.map((scope) => (
    <Code key={scope} me={4} style={{ display: "inline-block" }}>
      {scope}
    </Code>
  ));
}
