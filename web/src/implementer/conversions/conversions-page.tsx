import { Alert, Button, Stack, Text, Title } from "@mantine/core";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { serverNow } from "../../api/server-time.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { WalletGate } from "../wallet-gate.tsx";
import { BufferCell } from "./buffer-cell.tsx";
import type { Conversion } from "./conversion.ts";
import { ConversionForm } from "./conversion-form.tsx";

const ReclaimDialog = lazy(() =>
  import("./reclaim-dialog.tsx").then(({ ReclaimDialog }) => ({ default: ReclaimDialog })),
);

const statuses = ["requested", "finalised", "reverted"] as const satisfies Conversion["status"][];

/** Conversion of CARBON to ITMOs in two steps: escrow, then the registry's answer. */
export function ConversionsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.conversions")} lead={t("implementer.conversions.lead")}>
      <ParticipantGate kind="implementer">{(did) => <Conversions implementerDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Conversions({ implementerDid }: { implementerDid: string }) {
  const { t } = useTranslation();
  const [requested, setRequested] = useState<Conversion>();
  const [reclaiming, setReclaiming] = useState<Conversion>();
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("implementer.conversions.state"),
        options: statuses.map((value) => ({ value, label: t(`implementer.conversions.status.${value}`) })),
      },
    },
  });
  const { status } = list.values;
  const rows = useCursorRows({
    queryKey: ["implementer", "conversions", implementerDid, status],
    page: (at, signal) => hearth.get("/v1/itmo/conversions", { query: { implementerDid, status, ...at }, signal }),
  });
  return (
    <Stack>
      {requested !== undefined && <Waiting conversion={requested} />}
      <WalletGate implementerDid={implementerDid}>
        <ConversionForm implementerDid={implementerDid} onRequested={setRequested} />
      </WalletGate>
      <Title order={2} size="h4">
        {t("implementer.conversions.all")}
      </Title>
      <FilteredList
        list={list}
        label={t("implementer.conversions.all")}
        empty={t("implementer.conversions.empty")}
        columns={useColumns(setReclaiming)}
        rows={rows}
        rowKey={(row) => row.conversionId}
      />
      {reclaiming !== undefined && (
        <WhenLoaded fallback={null}>
          <ReclaimDialog
            conversion={reclaiming}
            implementerDid={implementerDid}
            onClose={() => setReclaiming(undefined)}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}

function Waiting({ conversion }: { conversion: Conversion }) {
  const { t } = useTranslation();
  return (
    <Alert color="teal" role="status" title={t("implementer.conversions.requestedTitle")}>
      <Stack gap="xs">
        <CodeValue value={conversion.conversionId} />
        <Text size="sm">{t("implementer.conversions.waiting")}</Text>
      </Stack>
    </Alert>
  );
}

function useColumns(onReclaim: (conversion: Conversion) => void): Column<Conversion>[] {
  const { t } = useTranslation();
  return [
    { key: "id", header: t("implementer.conversions.id"), cell: (row) => row.conversionId, width: "9rem" },
    {
      key: "status",
      header: t("implementer.conversions.state"),
      cell: ({ status }) => <StatusBadge status={status} label={t(`implementer.conversions.status.${status}`)} />,
      width: "13rem",
    },
    {
      key: "tonnes",
      header: t("implementer.conversions.tonnes"),
      cell: (row) => row.quantity,
      align: "end",
      width: "5rem",
    },
    {
      key: "waits",
      header: t("implementer.conversions.next"),
      cell: (row) => <NextStep conversion={row} onReclaim={() => onReclaim(row)} />,
      width: "24rem",
    },
    {
      key: "buffer",
      header: t("implementer.conversions.buffer.title"),
      cell: (row) => <BufferCell conversion={row} />,
      width: "12rem",
    },
    {
      key: "carbon",
      header: t("implementer.conversions.carbon"),
      cell: (row) => <Amount value={row.amount} />,
      align: "end",
      wideOnly: true,
    },
    {
      key: "under",
      header: t("implementer.conversions.authorization"),
      cell: (row) => row.authorizationId,
      wideOnly: true,
    },
    {
      key: "vintage",
      header: t("implementer.conversions.vintage"),
      cell: (row) => row.vintage,
      width: "5rem",
      wideOnly: true,
    },
    {
      key: "at",
      header: t("implementer.conversions.at"),
      cell: (row) => <Moment at={row.requestedAt} />,
      width: "12rem",
      wideOnly: true,
    },
  ];
}

type NextStepProps = { conversion: Conversion; onReclaim: () => void };

/** What a conversion waits for, its result, or the offer to take its CARBON back. */
function NextStep({ conversion: { conversionId, uniqueId, reason, reclaimableFrom }, onReclaim }: NextStepProps) {
  const { t } = useTranslation();
  if (uniqueId !== null) return uniqueId;
  if (reason !== null) return reason;
  if (reclaimableFrom === null) return null;
  if (Date.parse(reclaimableFrom) > serverNow()) {
    return (
      <>
        {t("implementer.conversions.registry")} <Moment at={reclaimableFrom} />
      </>
    );
  }
  const take = t("implementer.conversions.reclaim.open");
  return (
    <Button size="compact-xs" variant="subtle" aria-label={`${take} ${conversionId}`} onClick={onReclaim}>
      {take}
    </Button>
  );
}
