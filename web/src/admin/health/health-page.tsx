import { Accordion, Alert, Card, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { localeOf, type TextKey } from "../../i18n/i18n.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";

type Health = Schemas["SystemHealth"];
type Figure = Health["figures"][number];

const freshMs = 5_000;
/** Figures that an operator looks at first, each with its unit. */
const main = {
  hearth_disk_free_bytes: "bytes",
  hearth_files_stored_bytes: "bytes",
  process_resident_memory_bytes: "bytes",
  hearth_chain_block_number: "count",
  hearth_chain_block_age_seconds: "seconds",
  hearth_outbox_open: "count",
  hearth_operations_open: "count",
  hearth_webhook_deliveries_pending: "count",
  hearth_gas_spent_ether: "count",
  hearth_pool_reserve_carbon: "count",
  hearth_pool_reserve_stablecoin: "count",
} as const;
type Main = keyof typeof main;

/** Whether every part of the system works, and the operator's figures. */
export function HealthPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["admin", "system"],
    queryFn: ({ signal }) => hearth.get("/v1/admin/system", { signal }),
    refetchInterval: freshMs,
  });
  return (
    <PageFrame title={t("nav.admin.health")} lead={t("admin.health.lead")}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Shown health={data} />}
    </PageFrame>
  );
}

function Shown({ health: { ready, checks, requests, figures } }: { health: Health }) {
  const { t } = useTranslation();
  const format = useFormat();
  const shown = (Object.keys(main) as Main[]).flatMap((name) =>
    figures.filter((each) => each.name === name).slice(0, 1),
  );
  const cells = [
    ...shown.map((each) => ({
      key: each.name,
      label: t(`admin.health.figure.${each.name as Main}`),
      value: format(each.value, main[each.name as Main]),
    })),
    { key: "requests", label: t("admin.health.requests"), value: format(requests.total, "count") },
    { key: "failed", label: t("admin.health.failed"), value: format(requests.failed, "count") },
  ];
  return (
    <>
      <Alert color={ready ? "teal" : "red"}>{t(ready ? "admin.health.ready" : "admin.health.notReady")}</Alert>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {Object.entries(checks).map(([name, check]) => (
          <Check key={name} name={name} check={check} />
        ))}
      </SimpleGrid>
      <Title order={2} size="h4">
        {t("admin.health.figures")}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }}>
        {cells.map(({ key, label, value }) => (
          <Card key={key} withBorder padding="sm">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text fw={600}>{value}</Text>
          </Card>
        ))}
      </SimpleGrid>
      <AllFigures figures={figures} />
    </>
  );
}

function Check({ name, check }: { name: string; check: Health["checks"][string] }) {
  const { t, i18n } = useTranslation();
  const key = `admin.health.check.${name}`;
  const { reason, readOnly } = check as { reason?: unknown; readOnly?: unknown };
  const isWell = check.ready && readOnly !== true;
  return (
    <Card withBorder padding="sm">
      <Stack gap={4}>
        <Group justify="space-between">
          <Text fw={600}>{i18n.exists(key) ? t(key as TextKey) : name}</Text>
          <StatusBadge
            status={isWell ? "ok" : "failed"}
            label={t(isWell ? "admin.health.works" : "admin.health.fails")}
          />
        </Group>
        {readOnly === true && <Text size="sm">{t("admin.health.readOnly")}</Text>}
        {typeof reason === "string" && (
          <Text size="sm" lang="en">
            {reason}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function AllFigures({ figures }: { figures: Figure[] }) {
  const { t } = useTranslation();
  return (
    <Accordion variant="contained">
      <Accordion.Item value="all">
        <Accordion.Control>{t("admin.health.all")}</Accordion.Control>
        <Accordion.Panel>
          <WideTable label={t("admin.health.all")} minWidth={300}>
            <Table>
              <Table.Tbody>
                {figures.map(({ name, label, description, value }) => (
                  <Table.Tr key={`${name}-${label}`}>
                    <Table.Td lang="en">
                      {description}
                      {label !== null && ` (${label})`}
                    </Table.Td>
                    <Table.Td ta="end">{String(value)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

/** Returns a function that writes a figure with its unit. Figures of the process are not money: floating point is fine. */
function useFormat() {
  const { i18n } = useTranslation();
  const locale = localeOf(i18n.language);
  return (value: number | string, unit: "bytes" | "seconds" | "count"): string => {
    const number = Number(value);
    if (unit === "count") return new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(number);
    if (unit === "seconds") {
      return new Intl.NumberFormat(locale, { style: "unit", unit: "second", maximumFractionDigits: 0 }).format(number);
    }
    const [size, name] = number >= 1e9 ? [1e9, "gigabyte"] : [1e6, "megabyte"];
    return new Intl.NumberFormat(locale, { style: "unit", unit: name, maximumFractionDigits: 1 }).format(number / size);
  };
}
