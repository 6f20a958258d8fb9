import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { lazyPart } from "../../lazy-part.ts";
import { Day } from "../../show/moment.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";

const RetireDialog = lazyPart("admin/devices", () => import("./device-dialogs.tsx"), "RetireDialog");

type Device = Schemas["Device"];

type DeviceTableProps = {
  planId: string;
  label: string;
};

/** The devices of a monitoring plan, or of one household of it, in the order of their serials; each can be retired. */
export function DeviceTable({ planId, label }: DeviceTableProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Device>();
  const list = useList({ filters: { household: { kind: "text", label: t("devices.filter") } } });
  const householdDid = list.values.household;
  const rows = useCursorRows<Device>({
    queryKey: ["devices", planId, householdDid],
    page: (at, signal) => hearth.get("/v1/devices", { query: { ...at, planId, householdDid }, signal }),
  });
  const columns: Column<Device>[] = [
    { key: "serial", header: t("devices.serial"), cell: ({ serial }) => serial, width: "10rem" },
    {
      key: "model",
      header: t("devices.model"),
      cell: ({ model }) => <span translate="no">{model}</span>,
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "household",
      header: t("devices.household"),
      cell: ({ householdDid }) => householdDid ?? t("common.none"),
      width: "13rem",
    },
    {
      key: "installed",
      header: t("devices.installed"),
      cell: ({ installedOn }) => <Day at={installedOn} />,
      width: "9rem",
    },
    {
      key: "retired",
      header: t("devices.retired"),
      width: "9rem",
      cell: (device) =>
        device.retiredOn === null ? (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("devices.retire")} ${device.serial}`}
            onClick={() => setChosen(device)}
          >
            {t("devices.retire")}
          </Button>
        ) : (
          <Day at={device.retiredOn} />
        ),
    },
  ];
  return (
    <>
      <FilteredList
        list={list}
        label={label}
        empty={t("devices.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ serial }) => serial}
      />
      {chosen !== undefined && (
        <WhenLoaded fallback={null}>
          <RetireDialog serial={chosen.serial} onClose={() => setChosen(undefined)} />
        </WhenLoaded>
      )}
    </>
  );
}
