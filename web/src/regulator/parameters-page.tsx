import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { localeOf } from "../i18n/i18n.ts";
import { lazyPart } from "../lazy-part.ts";
import { useSession } from "../session/session.ts";
import { Day } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { Column } from "../table/data-table.tsx";
import { formatDecimal } from "./campaigns/waterfall.ts";
import { IndexList } from "./index-list.tsx";
import { ConsentRule } from "./parameters/consent-rule.tsx";

const ParameterDialog = lazyPart(
  "acts/parameters",
  () => import("./parameters/parameter-dialog.tsx"),
  "ParameterDialog",
);

const fields = [
  "number",
  "kind",
  "key",
  "value",
  "decimals",
  "unit",
  "source",
  "validFrom",
  "validTo",
  "supersededBy",
] as const;
type Parameter = IndexRow<"parameter", (typeof fields)[number]>;

/** Most decimals of a value. */
const places = 18;

/** The values that reductions are calculated with, as the regulator recorded them. */
export function ParametersPage() {
  const { t, i18n } = useTranslation();
  const columns: Column<Parameter>[] = [
    {
      key: "number",
      header: t("regulator.column.id"),
      width: "6rem",
      sortBy: "number",
      cell: ({ number }) => `PRM-${number}`,
    },
    { key: "kind", header: t("regulator.parameters.kind"), width: "6.5rem", sortBy: "kind", cell: ({ kind }) => kind },
    { key: "key", header: t("regulator.parameters.key"), width: "9rem", sortBy: "key", cell: ({ key }) => key },
    {
      key: "value",
      header: t("regulator.column.value"),
      width: "8.5rem",
      align: "end",
      cell: (row) => shownParameter(row, localeOf(i18n.language)),
    },
    {
      key: "source",
      header: t("regulator.parameters.source"),
      width: "16rem",
      wideOnly: true,
      cell: ({ source }) => <span lang="en">{source}</span>,
    },
    {
      key: "validFrom",
      header: t("regulator.parameters.validFrom"),
      width: "8rem",
      cell: ({ validFrom }) => (validFrom === 0 ? "" : <Day at={validFrom} />),
    },
    {
      key: "validTo",
      header: t("regulator.parameters.validTo"),
      width: "8rem",
      cell: ({ validTo }) => (validTo === null ? "" : <Day at={validTo} />),
    },
    {
      key: "supersededBy",
      header: t("regulator.parameters.supersededBy"),
      width: "7rem",
      cell: ({ supersededBy }) => (supersededBy === null ? "" : `PRM-${supersededBy}`),
    },
  ];
  return (
    <PageFrame title={t("regulator.parameters.title")} lead={t("regulator.parameters.lead")} actions={<RecordButton />}>
      <ConsentRule />
      <IndexList
        label={t("regulator.parameters.title")}
        empty={t("regulator.parameters.empty")}
        table="parameter"
        fields={fields}
        id="number"
        firstSort={{ by: "number", direction: "desc" }}
        columns={columns}
        pathOf={null}
      />
    </PageFrame>
  );
}

function RecordButton() {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const [isOpen, setOpen] = useState(false);
  if (role !== "regulator" && role !== "admin") return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("regulator.parameters.record")}</Button>
      {isOpen && (
        <WhenLoaded fallback={null}>
          <ParameterDialog onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
    </>
  );
}

const choiceKinds = [
  "ndc-method",
  "mechanism",
  "registry-list",
  "registry-alias",
  "measurement-order",
  "plan-area",
  "plan-fuel",
];

/** A choice is a word, which the chain has as its unit. */
function shownParameter(row: Pick<Parameter, "kind" | "value" | "decimals" | "unit">, locale: string) {
  if (row.kind === "registry" || row.kind === "corsia") return "";
  if (choiceKinds.includes(row.kind)) return <span lang="en">{row.unit}</span>;
  return `${shownValue(row, locale)} ${shownUnit(row)}`;
}

function shownValue({ value, decimals }: Pick<Parameter, "value" | "decimals">, locale: string): string {
  const digits = String(value).padStart(decimals + 1, "0");
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return formatDecimal(text, locale, places);
}

function shownUnit({ kind, unit }: Pick<Parameter, "kind" | "unit">): string {
  return kind === "method" || unit === "1" ? "" : unit;
}
