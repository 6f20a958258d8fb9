import { Anchor, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { serverNow } from "../../api/server-time.ts";
import { lazyPart } from "../../lazy-part.ts";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { PlanGate, type Plans } from "../devices/plan-gate.tsx";

const ScaleDialog = lazyPart("admin/devices", () => import("./scale-dialog.tsx"), "ScaleDialog");

type Calibration = Schemas["ScaleCalibration"];

/** The calibrations of the scales that an implementer's measurements are weighed with. */
export function ScalesPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.scales")} lead={t("devices.scale.lead")}>
      <PlanGate>{(plans) => <Scales {...plans} />}</PlanGate>
    </PageFrame>
  );
}

function Scales({ planId, plans }: Plans) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const rows = useCursorRows<Calibration>({
    queryKey: ["scales", planId],
    page: (at, signal) => hearth.get("/v1/scales", { query: { ...at, planId }, signal }),
  });
  const today = new Date(serverNow()).toISOString().slice(0, 10);
  const columns: Column<Calibration>[] = [
    { key: "serial", header: t("devices.serial"), width: "9rem", cell: ({ serial }) => serial },
    {
      key: "calibratedOn",
      header: t("devices.scale.calibratedOn"),
      width: "9rem",
      cell: ({ calibratedOn }) => <Day at={calibratedOn} />,
    },
    {
      key: "validUntil",
      header: t("devices.scale.validUntil"),
      width: "11rem",
      cell: ({ validUntil }) => (
        <Group gap="xs">
          <Day at={validUntil} />
          {validUntil < today && (
            <Text span size="xs" c="red">
              {t("devices.scale.over")}
            </Text>
          )}
        </Group>
      ),
    },
    {
      key: "certificate",
      header: t("devices.scale.certificate"),
      width: "14rem",
      wideOnly: true,
      cell: ({ certificate }) => <Certificate uri={certificate} />,
    },
  ];
  return (
    <>
      <Button style={{ alignSelf: "flex-start" }} onClick={() => setOpen(true)}>
        {t("devices.scale.record")}
      </Button>
      <DataTable
        label={t("nav.implementer.scales")}
        empty={t("devices.scale.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ serial, calibratedOn }) => `${serial} ${calibratedOn}`}
      />
      {isOpen && (
        <WhenLoaded fallback={null}>
          <ScaleDialog planId={planId} plans={plans} onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
    </>
  );
}

/** The link to a certificate. Other addresses than those of web pages are shown as text. */
function Certificate({ uri }: { uri: string }) {
  if (!/^https?:/i.test(uri)) return uri;
  return (
    <Anchor href={uri} target="_blank" rel="noreferrer" size="sm">
      {uri}
    </Anchor>
  );
}
