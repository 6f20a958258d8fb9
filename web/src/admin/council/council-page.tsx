import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { StateBadge, useStateWord } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { RecordsPage } from "../records/records-page.tsx";
import { PoolSwitch } from "./pool-switch.tsx";
import { ProposeDialog } from "./propose-dialog.tsx";
import { freshMs, type Proposal } from "./use-council.ts";
import { WalletBar } from "./wallet-bar.tsx";

const states = ["collecting", "scheduled", "ready", "executed", "cancelled", "expired"] as const;

/** The council's decisions: proposals with their approvals, and the pool's switch. */
export function CouncilPage() {
  const { t } = useTranslation();
  return (
    <RecordsPage
      title={t("nav.admin.council")}
      lead={t("admin.council.lead")}
      add={t("admin.council.propose")}
      dialog={(close) => <ProposeDialog onClose={close} />}
    >
      <WalletBar />
      <PoolSwitch />
      <Proposals />
    </RecordsPage>
  );
}

function Proposals() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const word = useStateWord("proposal");
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("people.state"),
        options: states.map((value) => ({ value, label: word(value) })),
      },
    },
  });
  const { status } = list.values;
  const rows = useCursorRows<Proposal>({
    queryKey: ["admin", "council", "proposals", status],
    page: (at, signal) =>
      hearth.get("/v1/pool/proposals", {
        query: { ...at, ...(status === undefined ? {} : { status }) },
        signal,
      }),
    refreshMs: freshMs,
  });
  const columns: Column<Proposal>[] = [
    {
      key: "what",
      header: t("admin.council.what"),
      cell: ({ words }) => <span lang="en">{words.changes.join(" ")}</span>,
      width: "22rem",
    },
    {
      key: "status",
      header: t("people.state"),
      cell: (row) => <StateBadge kind="proposal" state={row.status} />,
      width: "9rem",
    },
    {
      key: "approvals",
      header: t("admin.council.approvals"),
      cell: (row) =>
        t("admin.council.approvalsOf", {
          given: row.approvalsNeeded - row.approvalsMissing,
          needed: row.approvalsNeeded,
        }),
      width: "8rem",
    },
    {
      key: "created",
      header: t("admin.council.proposed"),
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      width: "11rem",
      wideOnly: true,
    },
  ];
  return (
    <FilteredList
      list={list}
      label={t("nav.admin.council")}
      empty={t("admin.council.empty")}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/admin/council/${id}` })}
    />
  );
}
