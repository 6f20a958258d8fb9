import { Alert, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Day } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";

type Parameter = Schemas["Parameter"];
type Choice = "open" | "closed";

const queryKey = ["admin", "registries"];
/** Start of records that were always valid. */
const always = "1970-01-01";
const today = () => new Date().toISOString().slice(0, 10);

/** The carbon registries that certificates may name. */
export function RegistriesPage() {
  const { t } = useTranslation();
  return (
    <RecordsPage
      title={t("nav.admin.registries")}
      lead={t("admin.registries.lead")}
      add={t("admin.registries.record")}
      dialog={(close) => <RecordRegistryDialog onClose={close} />}
    >
      <ListState />
      <Registries />
    </RecordsPage>
  );
}

/** Says whether certificates need a recorded registry, and changes it. */
function ListState() {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState<Choice>();
  const { data } = useQuery({
    queryKey: [...queryKey, "list"],
    queryFn: ({ signal }) => hearth.get("/v1/parameters", { query: { kind: "registry-list", newest: "true" }, signal }),
  });
  if (data === undefined) return null;
  const state: Choice = data.items.at(-1)?.choice === "closed" ? "closed" : "open";
  return (
    <Alert color={state === "closed" ? "teal" : "yellow"}>
      <Group justify="space-between">
        <Text size="sm">{t(`admin.registries.${state}`)}</Text>
        <Button variant="default" size="compact-sm" onClick={() => setWanted(state === "closed" ? "open" : "closed")}>
          {t(state === "closed" ? "admin.registries.makeOpen" : "admin.registries.makeClosed")}
        </Button>
      </Group>
      {wanted !== undefined && <ListDialog choice={wanted} onClose={() => setWanted(undefined)} />}
    </Alert>
  );
}

function ListDialog({ choice, onClose }: { choice: Choice; onClose: () => void }) {
  const { t } = useTranslation();
  const title = t(choice === "open" ? "admin.registries.makeOpen" : "admin.registries.makeClosed");
  return (
    <RecordDialog
      title={title}
      submit={title}
      fields={[
        {
          name: "source",
          label: t("admin.registries.decision"),
          hint: t(choice === "open" ? "admin.registries.openHint" : "admin.registries.closedHint"),
          required: true,
          maxLength: 512,
          isName: true,
        },
      ]}
      name="admin.registry-list"
      body={({ text }) => ({
        kind: "registry-list" as const,
        key: "certificates",
        choice,
        source: text("source"),
        validFrom: today(),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/parameters", { body, idempotencyKey })}
      changes={queryKey}
      onClose={onClose}
    />
  );
}

function RecordRegistryDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.registries.record")}
      submit={t("admin.registries.submit")}
      fields={[
        {
          name: "key",
          label: t("admin.participants.name"),
          hint: t("admin.registries.nameHint"),
          placeholder: "Gold Standard",
          required: true,
          maxLength: 64,
        },
        {
          name: "source",
          label: t("admin.registries.source"),
          hint: t("admin.registries.sourceHint"),
          required: true,
          maxLength: 512,
          isName: true,
        },
        { name: "validFrom", kind: "date", label: t("admin.plans.from"), initial: today(), required: true },
        {
          name: "validTo",
          kind: "date",
          label: t("admin.registries.to"),
          check: (end, { validFrom = "" }) => (end !== "" && end < validFrom ? t("admin.plans.ordered") : null),
        },
      ]}
      name="admin.record.registry"
      body={({ text, given }) => ({
        kind: "registry" as const,
        key: text("key"),
        source: text("source"),
        validFrom: text("validFrom"),
        ...(given("validTo") === undefined ? {} : { validTo: text("validTo") }),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/parameters", { body, idempotencyKey })}
      changes={queryKey}
      onClose={onClose}
    />
  );
}

function Registries() {
  const { t } = useTranslation();
  const rows = useCursorRows<Parameter>({
    queryKey,
    page: (at, signal) => hearth.get("/v1/parameters", { query: { ...at, kind: "registry", newest: "true" }, signal }),
  });
  const columns: Column<Parameter>[] = [
    {
      key: "name",
      header: t("admin.participants.name"),
      cell: ({ key }) => <span translate="no">{key}</span>,
      width: "12rem",
    },
    {
      key: "source",
      header: t("admin.registries.source"),
      cell: ({ source }) => <span translate="no">{source}</span>,
      width: "16rem",
    },
    {
      key: "from",
      header: t("admin.plans.from"),
      cell: (row) => (row.validFrom === always ? t("common.none") : <Day at={row.validFrom} />),
      width: "8rem",
    },
    {
      key: "to",
      header: t("admin.plans.to"),
      cell: ({ validTo }) => (validTo === null ? t("common.none") : <Day at={validTo} />),
      width: "8rem",
      wideOnly: true,
    },
    { key: "id", header: t("regulator.column.id"), cell: (row) => row.parameterId, width: "7rem", wideOnly: true },
  ];
  return (
    <DataTable
      label={t("nav.admin.registries")}
      empty={t("admin.registries.empty")}
      columns={columns}
      rows={rows}
      rowKey={({ parameterId }) => parameterId}
    />
  );
}
