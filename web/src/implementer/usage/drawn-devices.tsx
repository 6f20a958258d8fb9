import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Day } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { MissingDialog } from "./missing-dialog.tsx";
import { VisitDialog } from "./visit-dialog.tsx";

type Position = Schemas["UsagePosition"];
const dialogs = { visit: VisitDialog, missing: MissingDialog };
const acts = ["visit", "missing"] as const;

type DrawnDevicesProps = {
  campaignId: string;
  /** Whether visits can be recorded now. */
  canRecord: boolean;
};

/** The devices that were drawn for the usage survey, with what was found; each is recorded once. */
export function DrawnDevices({ campaignId, canRecord }: DrawnDevicesProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<{ act: keyof typeof dialogs; position: Position }>();
  const rows = useCursorRows<Position>({
    queryKey: ["implementer", "campaigns", campaignId, "usage-survey", "positions"],
    page: (at, signal) =>
      hearth.get("/v1/campaigns/{campaignId}/usage-survey/positions", { path: { campaignId }, query: at, signal }),
  });
  const columns: Column<Position>[] = [
    {
      key: "serial",
      header: t("acts.usage.serial"),
      width: "9rem",
      cell: ({ serial, householdId }) => (
        <>
          <Text size="sm">{serial}</Text>
          <Text size="xs">{householdId}</Text>
        </>
      ),
    },
    { key: "age", header: t("implementer.usage.age"), width: "7rem", wideOnly: true, cell: ({ age }) => age },
    {
      key: "visited",
      header: t("acts.usage.date"),
      width: "8rem",
      wideOnly: true,
      cell: ({ record }) => (record?.date == null ? t("common.none") : <Day at={record.date} />),
    },
    {
      key: "found",
      header: t("acts.usage.found"),
      width: "9rem",
      cell: (position) =>
        canRecord && position.status === "open" ? (
          <Group gap="xs">
            {acts.map((act) => (
              <Button
                key={act}
                size="compact-sm"
                variant="default"
                aria-label={`${t(`acts.usage.${act}`)} ${position.serial}`}
                onClick={() => setChosen({ act, position })}
              >
                {t(`acts.usage.${act}`)}
              </Button>
            ))}
          </Group>
        ) : (
          <Found {...position} />
        ),
    },
  ];
  const Shown = chosen && dialogs[chosen.act];
  return (
    <>
      <DataTable
        label={t("acts.usage.title")}
        empty={t("acts.usage.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ position }) => String(position)}
        wraps
      />
      {chosen !== undefined && Shown !== undefined && (
        <Shown campaignId={campaignId} position={chosen.position} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

function Found({ status, record }: Pick<Position, "status" | "record">) {
  const { t } = useTranslation();
  if (status === "surveyed")
    return t(record?.inUse === true ? "implementer.usage.inUse" : "implementer.usage.notInUse");
  return t(`implementer.usage.${status}`);
}
