import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import type { Kind, Participant } from "../../participants/use-participant.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

type ParticipantListProps = {
  kind: Kind;
  /** Further columns, after the state. */
  more?: Column<Participant>[];
};

/** The implementers or the suppliers of the scheme. */
export function ParticipantList({ kind, more = [] }: ParticipantListProps) {
  const { t } = useTranslation();
  const rows = useCursorRows<Participant>({
    queryKey: ["participants", kind, "list"],
    page: (at, signal) => hearth.get(`/v1/${kind}s`, { query: at, signal }),
  });
  const columns: Column<Participant>[] = [
    {
      key: "name",
      header: t("admin.participants.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "12rem",
    },
    { key: "did", header: t("admin.participants.did"), cell: ({ did }) => did, width: "13rem" },
    {
      key: "status",
      header: t("people.state"),
      cell: ({ status }) => <StateBadge kind="participant" state={status} />,
      width: "8rem",
    },
    ...more,
    {
      key: "account",
      header: t("admin.participants.account"),
      cell: ({ account }) => <CodeValue value={account} shorten />,
      width: "14rem",
      wideOnly: true,
    },
    {
      key: "at",
      header: t("admin.participants.registered"),
      cell: (row) => <Moment at={row.registeredAt} />,
      width: "10rem",
      wideOnly: true,
    },
  ];
  return (
    <DataTable
      label={t(`admin.participants.kind.${kind}`)}
      empty={t(`admin.participants.none.${kind}`)}
      columns={columns}
      rows={rows}
      rowKey={({ did }) => did}
    />
  );
}
