import { Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { useStateWord } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const implementerFields = ["did", "debt", "repaid", "replacement", "replaced"] as const;
type Implementer = IndexRow<"implementer", (typeof implementerFields)[number]>;
const somethingOwed = {
  OR: [{ debt_gt: "0" }, { repaid_gt: "0" }, { replacement_gt: "0" }, { replaced_gt: "0" }],
};

const changeFields = [
  "sequence",
  "kind",
  "debt",
  "replacement",
  "changedAt",
  "implementer.did",
  "certificate.certificateId",
] as const;
type Change = IndexRow<"implementerDebt", (typeof changeFields)[number]>;

/** Each implementer's debt for revoked certificates, and all changes of it. */
export function DebtsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.debts.title")} lead={t("regulator.debts.lead")}>
      <Implementers />
      <Title order={2} size="h4">
        {t("regulator.debts.changes")}
      </Title>
      <Changes />
    </PageFrame>
  );
}

function Implementers() {
  const { t } = useTranslation();
  const carbon = (key: "debt" | "repaid" | "replacement" | "replaced", width: string): Column<Implementer> => ({
    key,
    header: t(`regulator.debts.${key}`),
    width,
    align: "end",
    sortBy: key,
    cell: (row) => <Amount micro={row[key]} />,
  });
  const columns: Column<Implementer>[] = [
    { key: "implementer", header: t("regulator.column.implementer"), width: "12rem", cell: ({ did }) => did },
    carbon("debt", "7.5rem"),
    carbon("repaid", "8rem"),
    carbon("replacement", "9rem"),
    carbon("replaced", "10rem"),
  ];
  return (
    <IndexList
      label={t("regulator.debts.title")}
      empty={t("regulator.debts.empty")}
      table="implementer"
      name="implementers"
      fields={implementerFields}
      id="did"
      where={somethingOwed}
      firstSort={{ by: "debt", direction: "desc" }}
      columns={columns}
      pathOf={null}
    />
  );
}

function Changes() {
  const { t } = useTranslation();
  const word = useStateWord("implementerDebt");
  const columns: Column<Change>[] = [
    {
      key: "time",
      header: t("regulator.column.time"),
      width: "9rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.changedAt} />,
    },
    {
      key: "implementer",
      header: t("regulator.column.implementer"),
      width: "9rem",
      wideOnly: true,
      cell: (row) => row.implementer?.did,
    },
    { key: "kind", header: t("regulator.debts.kind"), width: "8.5rem", cell: ({ kind }) => word(kind) },
    {
      key: "certificate",
      header: t("regulator.column.certificate"),
      width: "8.5rem",
      cell: ({ certificate }) => certificate && <TraceLink id={certificate.certificateId} />,
    },
    {
      key: "debt",
      header: t("regulator.debts.debt"),
      width: "6.5rem",
      align: "end",
      cell: (row) => <Amount micro={row.debt} />,
    },
    {
      key: "replacement",
      header: t("regulator.debts.replacement"),
      width: "8rem",
      align: "end",
      cell: (row) => <Amount micro={row.replacement} />,
    },
  ];
  return (
    <IndexList
      label={t("regulator.debts.changes")}
      empty={t("regulator.debts.noChanges")}
      table="implementerDebt"
      name="changes"
      fields={changeFields}
      id="sequence"
      firstSort={{ by: "sequence", direction: "desc" }}
      columns={columns}
      pathOf={null}
    />
  );
}
