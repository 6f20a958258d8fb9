import type { UIComponents } from "@hearth/oracles-client-sdk";
import { Anchor, Group, List, Loader, Paper, Progress, Stack, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod/mini";
import type { TextKey } from "../../i18n/i18n.ts";
import { CheckTitle } from "../../regulator/check-title.tsx";
import { TraceLink } from "../../regulator/trace-link.tsx";
import { Amount } from "../../show/amount.tsx";
import { Day, Moment } from "../../show/moment.tsx";
import { StateBadge, type StateKind } from "../../show/state-badge.tsx";
import { StatusBadge, statusColor } from "../../show/status-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { amountsOwed, apiVoucher, problems, readResult, voucherCounts, weather, whereIs } from "./figure-arguments.ts";

type CallProps = { status?: string; output?: string; args?: Record<string, unknown> };
type Drawn<Schema extends z.ZodMiniType> = z.output<Schema>;

type ResultCardProps<Schema extends z.ZodMiniType> = {
  schema: Schema;
  call: CallProps;
  draw: (result: Drawn<Schema>) => ReactNode;
};

/** A card with the result of a tool; nothing for a failed call, whose reason the answer gives. */
function ResultCard<Schema extends z.ZodMiniType>({ schema, call, draw }: ResultCardProps<Schema>) {
  if (call.status === "isRunning") return <Loader size="sm" my="xs" />;
  const result = call.status === "error" ? undefined : readResult(schema, call.output);
  if (result === undefined) return null;
  return (
    <Paper withBorder p="md" my="xs" radius="md" maw="36rem">
      {draw(result)}
    </Paper>
  );
}

/** Cards for the results of the oracle's tools, by the tool's name. */
export const figureComponents = {
  count_vouchers: (call: CallProps) => (
    <ResultCard
      schema={voucherCounts}
      call={call}
      draw={(found) => <Vouchers {...found} asked={call.args?.status} />}
    />
  ),
  get_amounts_owed: (call: CallProps) => (
    <ResultCard schema={amountsOwed} call={call} draw={(found) => <Owed {...found} />} />
  ),
  find_problems: (call: CallProps) => (
    <ResultCard schema={problems} call={call} draw={(found) => <Problems {...found} />} />
  ),
  get_current_weather: (call: CallProps) => (
    <ResultCard schema={weather} call={call} draw={(found) => <Weather {...found} />} />
  ),
  where_is: (call: CallProps) => <ResultCard schema={whereIs} call={call} draw={(found) => <WhereIs {...found} />} />,
  get_voucher: (call: CallProps) => (
    <ResultCard schema={apiVoucher} call={call} draw={(found) => <ApiVoucher {...found} />} />
  ),
  // Says nothing to a person: it makes other tools available.
  load_capability: () => null,
} satisfies UIComponents;

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="1.75rem" fw={650} lh={1.2}>
        {children}
      </Text>
    </div>
  );
}

function Vouchers({ total, states, newest, certificateId, asked }: Drawn<typeof voucherCounts> & { asked: unknown }) {
  const { t } = useTranslation();
  const found = states.find(({ status }) => status === asked);
  const count = asked === undefined ? total : (found?.count ?? 0);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Figure label={t("chat.figure.vouchers")}>
          <span style={{ fontVariantNumeric: "tabular-nums" }}>{t("chat.figure.count", { count })}</span>
        </Figure>
        {typeof asked === "string" && <StateBadge kind="voucher" state={asked} />}
      </Group>
      {certificateId !== null && <TraceLink id={certificateId} />}
      {total > 0 && (
        <Progress.Root size="lg" aria-hidden>
          {states.map(({ status, count: part }) => (
            <Progress.Section key={status} value={(part / total) * 100} color={statusColor(status)} />
          ))}
        </Progress.Root>
      )}
      <WideTable label={t("chat.figure.byState")} minWidth={280}>
        <Table aria-label={t("chat.figure.byState")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("chat.figure.state")}</Table.Th>
              <Table.Th ta="end">{t("chat.figure.vouchers")}</Table.Th>
              <Table.Th ta="end">{t("chat.figure.left")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {states.map((each) => (
              <Table.Tr key={each.status}>
                <Table.Td>
                  <StateBadge kind="voucher" state={each.status} />
                </Table.Td>
                <Table.Td ta="end">{t("chat.figure.count", { count: each.count })}</Table.Td>
                <Table.Td ta="end">
                  <Amount value={each.remaining} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {newest.length > 0 && (
        <Records label={t("chat.figure.newest")}>
          {newest.map(({ voucherId, remaining }) => (
            <RecordRow key={voucherId} id={voucherId}>
              <Amount value={remaining} unit="carbon" />
            </RecordRow>
          ))}
        </Records>
      )}
    </Stack>
  );
}

function Records({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {/* Each link has 24 px, so that a finger hits the right one. */}
      <Stack gap={6} mt={4}>
        {children}
      </Stack>
    </div>
  );
}

function RecordRow({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <TraceLink id={id} />
      <Text size="sm" component="span">
        {children}
      </Text>
    </Group>
  );
}

function Owed({ supplierDid, total, owed, paid, debt, oldest }: Drawn<typeof amountsOwed>) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Figure label={t(supplierDid === null ? "chat.figure.owedToAll" : "chat.figure.owed")}>
        <Amount value={total} unit="carbon" />
      </Figure>
      <Stack gap={4}>
        {owed.map(({ status, count, carbon }) => (
          <Group key={status} justify="space-between" gap="xs">
            <Group gap="xs">
              <RedemptionState status={status} />
              <Text size="sm">{t("chat.figure.count", { count })}</Text>
            </Group>
            <Amount value={carbon} unit="carbon" />
          </Group>
        ))}
        {paid.map(({ asset, count, amount }) => (
          <Group key={asset} justify="space-between" gap="xs">
            <Group gap="xs">
              <RedemptionState status="settled" />
              <Text size="sm">{t("chat.figure.count", { count })}</Text>
            </Group>
            <Amount value={amount} unit={asset === "CARBON" ? "carbon" : "stablecoin"} />
          </Group>
        ))}
        {debt !== "0" && (
          <Group justify="space-between" gap="xs">
            <Text size="sm">{t("chat.figure.debt")}</Text>
            <Amount value={debt} unit="carbon" />
          </Group>
        )}
      </Stack>
      {oldest.length > 0 && (
        <Records label={t("chat.figure.oldest")}>
          {oldest.map(({ redemptionId, carbon, redeemedAt }) => (
            <RecordRow key={redemptionId} id={redemptionId}>
              <Moment at={redeemedAt} /> · <Amount value={carbon} unit="carbon" />
            </RecordRow>
          ))}
        </Records>
      )}
    </Stack>
  );
}

function Problems({ checked, violated, unchecked, stopped }: Drawn<typeof problems>) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Figure label={t("chat.figure.violated")}>
        {t("chat.figure.ofChecks", { count: violated.length, checks: checked })}
      </Figure>
      {violated.length + unchecked.length > 0 && (
        <List size="sm">
          {violated.map(({ id, title, violations }) => (
            <List.Item key={id}>
              <CheckTitle id={id} title={title} />: {t("chat.figure.violations", { count: violations })}
            </List.Item>
          ))}
          {unchecked.map(({ id, title, reason }) => (
            <List.Item key={id}>
              <CheckTitle id={id} title={title} />: {t("chat.figure.unchecked")} <span lang="en">{reason}</span>
            </List.Item>
          ))}
        </List>
      )}
      {stopped.map(({ what, status, count }) => (
        <Group key={`${what} ${status}`} justify="space-between" gap="xs">
          <Group gap="xs">
            <Text size="sm">{t(`chat.figure.${what}`)}</Text>
            <StateBadge kind={kinds[what]} state={status} />
          </Group>
          <Text size="sm">{t("chat.figure.count", { count })}</Text>
        </Group>
      ))}
      <Anchor component={Link} to="/regulator/double-counting" size="sm">
        {t("chat.figure.checks")}
      </Anchor>
    </Stack>
  );
}

const kinds = { claims: "claim", vouchers: "voucher", certificates: "certificate" } as const;

function RedemptionState({ status }: { status: string }) {
  const { t, i18n } = useTranslation();
  const key = `supplier.redemptionStatus.${status}`;
  return <StatusBadge status={status} label={i18n.exists(key) ? t(key as TextKey) : status} />;
}

function Weather({ city, temp_c, conditions, source }: Drawn<typeof weather>) {
  const { t, i18n } = useTranslation();
  return (
    <Stack gap={4}>
      <Figure label={city}>{t("chat.figure.degrees", { degrees: temp_c.toLocaleString(i18n.language) })}</Figure>
      <Text size="sm" lang="en">
        {conditions}
      </Text>
      {source === "climatology" && (
        <Text size="sm" c="dimmed">
          {t("chat.figure.mean")}
        </Text>
      )}
    </Stack>
  );
}

const parts = ["vouchers", "redemptions", "claims", "payments", "swaps", "conversions", "itmoBlocks"] as const;

function WhereIs({ id, type, status, certificate, voucher, around, isPartial }: Drawn<typeof whereIs>) {
  const { t, i18n } = useTranslation();
  const key = `regulator.trace.type.${type}`;
  if (voucher !== null) {
    return (
      <Stack gap="xs">
        <VoucherFacts {...voucher} />
        {certificate !== null && <RecordRow id={certificate.id}>{t("regulator.trace.type.certificate")}</RecordRow>}
      </Stack>
    );
  }
  const kind = stateKinds[type];
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{i18n.exists(key) ? t(key as TextKey) : type}</Text>
        {status !== null && type === "redemption" && <RedemptionState status={status} />}
        {status !== null && kind !== undefined && <StateBadge kind={kind} state={status} />}
      </Group>
      <TraceLink id={id} />
      {certificate !== null && certificate.id === id && (
        <Text size="sm">
          {t("chat.figure.verified")} <Amount value={certificate.verified} unit="tonnes" />
          {" · "}
          {t("chat.figure.issued")} <Amount value={certificate.issued} unit="carbon" />
        </Text>
      )}
      {certificate !== null && certificate.id !== id && (
        <RecordRow id={certificate.id}>{t("regulator.trace.type.certificate")}</RecordRow>
      )}
      {parts
        .filter((part) => around[part] > 0)
        .map((part) => (
          <Group key={part} justify="space-between" gap="xs">
            <Text size="sm">{t(`chat.figure.${part}`)}</Text>
            <Text size="sm">{t(isPartial ? "chat.figure.atLeast" : "chat.figure.count", { count: around[part] })}</Text>
          </Group>
        ))}
    </Stack>
  );
}

const stateKinds: { [type: string]: StateKind } = {
  certificate: "certificate",
  voucher: "voucher",
  claim: "claim",
  conversion: "conversion",
  "itmo-block": "itmoBlock",
};

function ApiVoucher({ remainingBalance, attributes, ...voucher }: Drawn<typeof apiVoucher>) {
  return <VoucherFacts {...voucher} remaining={remainingBalance} expiryDate={attributes.expiryDate} />;
}

type VoucherFactsProps = { id: string; status: string; value: string; remaining: string; expiryDate: string };

/** A voucher's state, what is left, and its last day. */
function VoucherFacts({ id, status, value, remaining, expiryDate }: VoucherFactsProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{t("chat.component.voucher")}</Text>
        <StateBadge kind="voucher" state={status} />
      </Group>
      <TraceLink id={id} />
      <Text fz="1.5rem" fw={650} lh={1.2}>
        <Amount value={remaining} unit="carbon" />
      </Text>
      <Text size="sm" c="dimmed">
        {t("chat.figure.ofValue")} <Amount value={value} unit="carbon" />
      </Text>
      <Text size="sm">
        {t("chat.figure.lastDay")} <Day at={expiryDate} />
      </Text>
    </Stack>
  );
}
