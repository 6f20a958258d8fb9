import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { Day } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { isDid } from "../participants/participant-fields.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";

type Device = Schemas["Device"];

const limit = 500;
const today = () => new Date().toISOString().slice(0, 10);

/** The installed devices of a monitoring plan: register and retire them. */
export function DevicesPage() {
  const { t } = useTranslation();
  const list = useList({ filters: { plan: { kind: "text", label: t("admin.plans.id") } } });
  const { data: plans } = useQuery({
    queryKey: ["admin", "plans", "all"],
    queryFn: ({ signal }) =>
      hearth.get("/v1/monitoring-plans", { query: { limit }, signal }).then(({ items }) => items),
  });
  const planId = list.values.plan ?? plans?.at(-1)?.planId;
  return (
    <RecordsPage
      title={t("nav.admin.devices")}
      lead={t("admin.devices.lead")}
      add={t("admin.devices.register")}
      dialog={(close) => <DeviceDialog planId={planId} plans={plans ?? []} onClose={close} />}
    >
      <Select
        label={t("admin.devices.plan")}
        data={(plans ?? []).map((plan) => plan.planId)}
        value={planId ?? null}
        onChange={(chosen) => list.setValue("plan", chosen ?? "")}
        allowDeselect={false}
        searchable
        maw={360}
      />
      {planId === undefined ? (
        plans !== undefined && <EmptyNotice text={t("admin.devices.noPlan")} />
      ) : (
        <Devices planId={planId} />
      )}
    </RecordsPage>
  );
}

type DeviceDialogProps = { planId: string | undefined; plans: Schemas["MonitoringPlan"][]; onClose: () => void };

function DeviceDialog({ planId, plans, onClose }: DeviceDialogProps) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.devices.register")}
      fields={[
        { name: "serial", label: t("admin.devices.serial"), required: true, maxLength: 64 },
        { name: "model", label: t("admin.devices.model"), required: true, maxLength: 128 },
        {
          name: "planId",
          kind: "choice",
          label: t("admin.devices.plan"),
          options: plans.map((plan) => ({ value: plan.planId, label: plan.planId })),
          ...(planId === undefined ? {} : { initial: planId }),
          required: true,
        },
        {
          name: "householdDid",
          label: t("admin.devices.household"),
          placeholder: "did:ixo:household/123",
          required: true,
          check: (did) => (isDid(did) ? null : t("admin.devices.wrongDid")),
        },
        { name: "installedOn", kind: "date", label: t("admin.devices.installed"), initial: today(), required: true },
      ]}
      name="admin.register.device"
      body={({ text }) => ({
        serial: text("serial"),
        model: text("model"),
        planId: text("planId"),
        householdDid: text("householdDid"),
        installedOn: text("installedOn"),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/devices", { body, idempotencyKey })}
      changes={["admin", "devices"]}
      onClose={onClose}
    />
  );
}

function Devices({ planId }: { planId: string }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Device>();
  const rows = useCursorRows<Device>({
    queryKey: ["admin", "devices", planId],
    page: (at, signal) => hearth.get("/v1/devices", { query: { ...at, planId }, signal }),
  });
  const columns: Column<Device>[] = [
    { key: "serial", header: t("admin.devices.serial"), cell: ({ serial }) => serial, width: "10rem" },
    {
      key: "model",
      header: t("admin.devices.model"),
      cell: ({ model }) => <span translate="no">{model}</span>,
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "household",
      header: t("admin.devices.household"),
      cell: ({ householdDid }) => householdDid ?? t("common.none"),
      width: "13rem",
    },
    {
      key: "installed",
      header: t("admin.devices.installed"),
      cell: ({ installedOn }) => <Day at={installedOn} />,
      width: "9rem",
    },
    {
      key: "retired",
      header: t("admin.devices.retired"),
      width: "9rem",
      cell: (device) =>
        device.retiredOn === null ? (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("admin.devices.retire")} ${device.serial}`}
            onClick={() => setChosen(device)}
          >
            {t("admin.devices.retire")}
          </Button>
        ) : (
          <Day at={device.retiredOn} />
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={t("nav.admin.devices")}
        empty={t("admin.devices.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ serial }) => serial}
      />
      {chosen !== undefined && <RetireDialog serial={chosen.serial} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function RetireDialog({ serial, onClose }: { serial: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.devices.retireTitle", { serial })}
      submit={t("admin.devices.retire")}
      fields={[
        {
          name: "retiredOn",
          kind: "date",
          label: t("admin.devices.retiredOn"),
          hint: t("admin.devices.retiredHint"),
          initial: today(),
          required: true,
        },
      ]}
      name="admin.retire.device"
      body={({ text }) => ({ retiredOn: text("retiredOn") })}
      send={(body, idempotencyKey) => hearth.patch("/v1/devices/{serial}", { path: { serial }, body, idempotencyKey })}
      changes={["admin", "devices"]}
      onClose={onClose}
    />
  );
}
