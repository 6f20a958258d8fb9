import { Button, Group, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DeviceTable } from "../../admin/devices/device-table.tsx";
import { lazyPart } from "../../lazy-part.ts";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { FileImport } from "../operations/file-import.tsx";
import { PlanGate, type Plans } from "./plan-gate.tsx";

const DeviceDialog = lazyPart("admin/devices", () => import("../../admin/devices/device-dialogs.tsx"), "DeviceDialog");

const types = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** The installed devices of an implementer: import a file, register or retire one, and find those of a household. */
export function DevicesPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.devices")} lead={t("devices.lead")}>
      <PlanGate>{(plans) => <Devices {...plans} />}</PlanGate>
    </PageFrame>
  );
}

function Devices({ planId, plans }: Plans) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <FileImport
        name="devices.import"
        label={t("devices.import")}
        hint={t("devices.fileHint")}
        columns="serial,model,householdDid,installedOn,retiredOn"
        types={types}
        idColumn="serial"
        about={planId}
        send={(client, file) => client.post("/v1/devices/import", { ...file, query: { planId } })}
        changes={["devices"]}
      />
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("devices.registered")}
        </Title>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("devices.register")}
        </Button>
      </Group>
      <DeviceTable planId={planId} label={t("devices.registered")} />
      {isOpen && (
        <WhenLoaded fallback={null}>
          <DeviceDialog planId={planId} plans={plans} onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
    </>
  );
}
