import "../../show/print.css";
import { Alert, Button, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatScaled } from "../../../../wire/src/exact.ts";
import { hearth } from "../../api/client.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { useParticipant } from "../../participants/use-participant.ts";
import { useAmountText } from "../../show/amount.tsx";
import { csvRow } from "../../show/csv.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day, Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { saveAs } from "../../show/save-as.ts";
import { WideTable } from "../../show/wide-table.tsx";
import { useQueue, useSettling } from "../queue/use-queue.ts";
import type { Claim, Redemption } from "../records.ts";
import { useProducts } from "../use-products.ts";
import { boundsOf, type DayLine, dayOf, daySides, paymentsOf, type Tally, totalsOf } from "./totals.ts";

/** The day's totals by product and state, for closing the till. */
export function DayPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.day")} lead={t("supplier.day.lead")}>
      <ParticipantGate kind="supplier">{(did) => <Closing supplierDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Closing({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const [day, setDay] = useState(() => dayOf(new Date()));
  const shop = useParticipant("supplier", supplierDid);
  const sales = useDay(supplierDid, day);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack maw={900}>
      <TextInput
        type="date"
        label={t("supplier.day.day")}
        description={t("supplier.day.zone", { zone })}
        value={day}
        max={dayOf(new Date())}
        onChange={(event) => event.currentTarget.value !== "" && setDay(event.currentTarget.value)}
        maw={260}
        data-print="no"
      />
      <Text fw={700}>
        <span translate="no">{shop.data?.name ?? supplierDid}</span> · <Day at={day} />
      </Text>
      {sales.isError && <ErrorNotice error={sales.error} onRetry={() => void sales.refetch()} />}
      {sales.isLoading && <Loading />}
      {sales.data !== undefined && <Totals supplierDid={supplierDid} day={day} {...sales.data} />}
    </Stack>
  );
}

function useDay(supplierDid: string, day: string) {
  const { from, before } = boundsOf(day);
  return useQuery({
    queryKey: ["supplier", "day", supplierDid, from],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const [redemptions, claims]: [Redemption[], Claim[]] = [[], []];
      const sold = { supplierDid, redeemedFrom: from, redeemedBefore: before, limit: 500 };
      for await (const each of hearth.items("/v1/redemptions", { query: sold, signal })) redemptions.push(each);
      const filed = { supplierDid, filedFrom: from, filedBefore: before, limit: 500 };
      for await (const each of hearth.items("/v1/claims", { query: filed, signal })) claims.push(each);
      return { redemptions, claims };
    },
  });
}

type TotalsProps = { supplierDid: string; day: string; redemptions: Redemption[]; claims: Claim[] };

function Totals({ supplierDid, day, redemptions, claims }: TotalsProps) {
  const { t } = useTranslation();
  const carbon = useAmountText();
  useSettling(supplierDid);
  const { entries } = useQueue(supplierDid);
  const products = useProducts();
  const ofDay = entries.filter(({ createdAt }) => dayOf(new Date(createdAt)) === day);
  const waiting = ofDay.filter(({ state }) => state === "waiting" || state === "unsure").length;
  const refused = ofDay.filter(({ state }) => state === "refused");
  const { lines, total } = totalsOf(redemptions, refused);
  const payments = paymentsOf(claims);
  const names = new Map([
    ...refused.map(({ productId, productName }) => [productId, productName] as const),
    ...(products.data ?? []).map(({ productId, name }) => [productId, name] as const),
  ]);
  const nameOf = ({ productId }: DayLine) =>
    productId === "" ? t("supplier.day.total") : (names.get(productId) ?? productId);
  const save = () => {
    const header = [t("supplier.column.product"), ...daySides.flatMap((side) => [t(`supplier.day.${side}`), "CARBON"])];
    const rows = [...lines, total].map((line) => [
      nameOf(line),
      ...daySides.flatMap((side) => [String(line[side].count), formatScaled(line[side].carbon, 6)]),
    ]);
    const csv = [header, ...rows].map(csvRow).join("");
    saveAs(new Blob([csv], { type: "text/csv;charset=utf-8" }), `${day}.csv`);
  };
  return (
    <>
      {waiting > 0 && <Alert color="yellow">{t("supplier.day.waiting", { count: waiting })}</Alert>}
      <Group gap="xl">
        <Figure label={t("supplier.day.received")} value={carbon({ micro: payments.stablecoin }, "stablecoin")} />
        {payments.carbon > 0n && (
          <Figure label={t("supplier.day.receivedCarbon")} value={carbon({ micro: payments.carbon }, "carbon")} />
        )}
        <Figure label={t("supplier.day.owed")} value={carbon({ micro: total.pending.carbon }, "carbon")} />
      </Group>
      {lines.length === 0 ? (
        <Text>{t("supplier.day.empty")}</Text>
      ) : (
        <WideTable label={t("nav.supplier.day")} minWidth={0}>
          <Table aria-label={t("nav.supplier.day")} verticalSpacing="xs">
            <Table.Caption>{t("supplier.day.unit")}</Table.Caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t("supplier.column.product")}</Table.Th>
                {daySides.map((side) => (
                  <Table.Th key={side} scope="col" ta="end">
                    {t(`supplier.day.${side}`)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...lines, total].map((line) => (
                <Table.Tr key={line.productId} fw={line.productId === "" ? 700 : 400}>
                  <Table.Th scope="row" fw="inherit" translate={line.productId === "" ? "yes" : "no"}>
                    {nameOf(line)}
                  </Table.Th>
                  {daySides.map((side) => (
                    <Table.Td key={side} ta="end" style={{ fontVariantNumeric: "tabular-nums" }}>
                      <Cell {...line[side]} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
      <Text size="xs" c="dimmed">
        {t("supplier.day.made")} <Moment at={new Date().toISOString()} />
      </Text>
      <Group data-print="no">
        <Button leftSection={<IconPrinter size={18} aria-hidden />} onClick={() => window.print()}>
          {t("supplier.receipt.print")}
        </Button>
        <Button variant="default" leftSection={<IconDownload size={18} aria-hidden />} onClick={save}>
          {t("supplier.day.download")}
        </Button>
      </Group>
    </>
  );
}

/** CARBON, and of how many redemptions. */
function Cell({ count, carbon: micro }: Tally) {
  const { t } = useTranslation();
  const carbon = useAmountText();
  if (count === 0) return "–";
  return (
    <>
      {carbon({ micro })}
      <Text size="xs">{t("supplier.day.times", { count })}</Text>
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <Stack gap={0}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={700} size="lg" style={{ fontVariantNumeric: "tabular-nums" }}>
        {value}
      </Text>
    </Stack>
  );
}
