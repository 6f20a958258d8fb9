import { List as Items, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { PublicationPanel } from "./publication-panel.tsx";

type CadTrustRecord = Schemas["CadTrustRecord"];

const states = ["published", "staged", "sending", "editing", "removing", "differs", "refused"] as const;

/** What was published to the Climate Action Data Trust: the last publication, and the state of each record on the server. */
export function CadTrustPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.regulator.cadTrust")} lead={t("regulator.cadTrust.lead")}>
      <PublicationPanel />
      <Title order={2} size="h4">
        {t("regulator.cadTrust.records")}
      </Title>
      <Records />
    </PageFrame>
  );
}

function Records() {
  const { t } = useTranslation();
  const word = useStateWord("cadTrust");
  const list = useList({
    filters: {
      state: {
        kind: "choice",
        label: t("regulator.column.status"),
        options: states.map((value) => ({ value, label: word(value) })),
      },
    },
  });
  const { state } = list.values;
  const rows = useCursorRows<CadTrustRecord>({
    queryKey: ["regulator", "cad-trust", "records", state],
    page: (at, signal) =>
      hearth.get("/v1/cad-trust/records", { query: { ...at, ...(state === undefined ? {} : { state }) }, signal }),
    staleTime: 0,
  });
  const columns: Column<CadTrustRecord>[] = [
    {
      key: "record",
      header: t("regulator.cadTrust.record"),
      width: "20rem",
      cell: ({ key }) => <span translate="no">{key}</span>,
    },
    {
      key: "state",
      header: t("regulator.column.status"),
      width: "9rem",
      cell: (row) => <StateBadge kind="cadTrust" state={row.state} />,
    },
    {
      key: "problems",
      header: t("regulator.cadTrust.problems"),
      width: "18rem",
      cell: ({ problems }) =>
        problems.length === 0 ? (
          t("common.none")
        ) : (
          <Items size="sm" lang="en">
            {problems.map((problem) => (
              <Items.Item key={problem}>{problem}</Items.Item>
            ))}
          </Items>
        ),
    },
    {
      key: "remoteId",
      header: t("regulator.cadTrust.remoteId"),
      width: "20rem",
      wideOnly: true,
      cell: ({ remoteId }) => <span translate="no">{remoteId ?? t("common.none")}</span>,
    },
    {
      key: "changed",
      header: t("regulator.column.time"),
      width: "11rem",
      wideOnly: true,
      cell: ({ changedAt }) => <Moment at={changedAt} />,
    },
  ];
  return (
    <Stack>
      <FilteredList
        list={list}
        label={t("regulator.cadTrust.records")}
        empty={t("regulator.cadTrust.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
      />
    </Stack>
  );
}
