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

type Change = Schemas["Change"];

const results = ["done", "refused", "failed"] as const;
const roles = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"] as const;

/** Who changed what, when, and with what result. */
export function AuditPage() {
  const { t } = useTranslation();
  const word = useStateWord("change");
  const list = useList({
    filters: {
      text: { kind: "text", label: t("admin.audit.words") },
      keyId: { kind: "text", label: t("admin.audit.key") },
      role: {
        kind: "choice",
        label: t("people.role"),
        options: roles.map((value) => ({ value, label: t(`shell.role.${value}`) })),
      },
      result: {
        kind: "choice",
        label: t("admin.audit.result"),
        options: results.map((value) => ({ value, label: word(value) })),
      },
    },
  });
  const filter = Object.fromEntries(Object.entries(list.values).filter(([, value]) => value !== undefined));
  const rows = useCursorRows<Change>({
    queryKey: ["admin", "audit", filter],
    page: (at, signal) => hearth.get("/v1/admin/changes", { query: { ...at, ...filter }, signal }),
    staleTime: 0,
  });
  const columns: Column<Change>[] = [
    { key: "at", header: t("admin.audit.when"), cell: ({ at }) => <Moment at={at} />, width: "12rem" },
    {
      key: "who",
      header: t("admin.audit.who"),
      cell: ({ keyName, keyId }) => <span translate="no">{keyName ?? keyId}</span>,
      width: "9rem",
    },
    {
      key: "role",
      header: t("people.role"),
      cell: ({ role }) => t(`shell.role.${role}`),
      width: "9rem",
      wideOnly: true,
    },
    {
      key: "what",
      header: t("admin.audit.what"),
      cell: ({ summary }) => <span lang="en">{summary}</span>,
      width: "13rem",
    },
    {
      key: "subject",
      header: t("admin.audit.subject"),
      cell: ({ subject }) => <span translate="no">{subject || t("common.none")}</span>,
      width: "12rem",
      wideOnly: true,
    },
    {
      key: "result",
      header: t("admin.audit.result"),
      cell: ({ result }) => <StateBadge kind="change" state={result} />,
      width: "8rem",
    },
    { key: "request", header: t("admin.audit.request"), cell: (row) => row.requestId, width: "9rem", wideOnly: true },
  ];
  return (
    <PageFrame title={t("nav.admin.audit")} lead={t("admin.audit.lead")}>
      <FilteredList
        list={list}
        label={t("nav.admin.audit")}
        empty={t("admin.audit.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ number }) => String(number)}
      />
    </PageFrame>
  );
}
