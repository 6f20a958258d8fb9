import type { UIComponents } from "@hearth/oracles-client-sdk";
import { Group, Loader, Paper, Stack, Table, Text, Timeline } from "@mantine/core";
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod/mini";
import { toMicro } from "../../../../wire/src/exact.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { ToolCallView } from "../tool-call-view.tsx";
import { chartArguments, tableArguments, traceArguments, voucherArguments } from "./component-arguments.ts";
import type { ComponentName } from "./component-names.ts";
import { figureComponents } from "./figures.tsx";

const ChartView = lazy(async () => ({ default: (await import("./chart-view.tsx")).ChartView }));

type CheckedProps<Schema extends z.ZodMiniType> = {
  schema: Schema;
  given: { isLoading?: boolean };
  draw: (args: z.output<Schema>) => ReactNode;
};

/** Render valid arguments, else a notice. */
function Checked<Schema extends z.ZodMiniType>({ schema, given, draw }: CheckedProps<Schema>) {
  const { t } = useTranslation();
  const args = schema.safeParse(given);
  if (given.isLoading === true && !args.success) return <Loader size="sm" />;
  if (!args.success) return <Text c="dimmed">{t("chat.component.unreadable")}</Text>;
  return (
    <Paper withBorder p="sm" my="xs">
      {draw(args.data)}
    </Paper>
  );
}

/** The components that the oracle can show in a conversation, by name. */
export const consoleComponents = {
  ...figureComponents,
  table: (given) => <Checked schema={tableArguments} given={given} draw={(args) => <TableView {...args} />} />,
  chart: (given) => <Checked schema={chartArguments} given={given} draw={(args) => <LazyChart {...args} />} />,
  voucher_card: (given) => (
    <Checked schema={voucherArguments} given={given} draw={(args) => <VoucherView {...args} />} />
  ),
  trace: (given) => <Checked schema={traceArguments} given={given} draw={(args) => <TraceView {...args} />} />,
  ToolCall: ToolCallView,
} satisfies Record<ComponentName, UIComponents[string]>;

function LazyChart(args: z.output<typeof chartArguments>) {
  return (
    <Suspense fallback={<Loader size="sm" />}>
      <ChartView {...args} />
    </Suspense>
  );
}

function TableView({ title, columns, rows }: z.output<typeof tableArguments>) {
  const { t } = useTranslation();
  return (
    <WideTable label={title ?? t("chat.component.table")} minWidth={320} maxHeight={360}>
      <Table aria-label={title ?? t("chat.component.table")} striped>
        {title !== undefined && <Table.Caption>{title}</Table.Caption>}
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other key than its index
            <Table.Tr key={index}>
              {columns.map((column, place) => (
                <Table.Td key={column}>{row[place]}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function VoucherView({ voucherId, status, remainingBalance, value, expiresAt }: z.output<typeof voucherArguments>) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{t("chat.component.voucher")}</Text>
        {status !== undefined && <StateBadge kind="voucher" state={status} />}
      </Group>
      <CodeValue value={voucherId} />
      {remainingBalance !== undefined && (
        <Text size="sm">
          {t("chat.component.remaining")} <Carbon text={remainingBalance} />
          {value !== undefined && (
            <>
              {" / "}
              <Carbon text={value} />
            </>
          )}
        </Text>
      )}
      {expiresAt !== undefined && !Number.isNaN(Date.parse(expiresAt)) && (
        <Text size="sm">
          {t("chat.component.expires")} <Moment at={expiresAt} />
        </Text>
      )}
    </Stack>
  );
}

/** A formatted amount, or the text as given when it is not an amount. */
function Carbon({ text }: { text: string }) {
  return isAmount(text) ? <Amount value={text} unit="carbon" /> : text;
}

function isAmount(text: string): boolean {
  try {
    return toMicro(text) >= 0n;
  } catch {
    return false;
  }
}

function TraceView({ title, steps }: z.output<typeof traceArguments>) {
  return (
    <Stack gap="xs">
      {title !== undefined && <Text fw={600}>{title}</Text>}
      <Timeline bulletSize={14} lineWidth={2} active={steps.length - 1}>
        {steps.map(({ kind, id, amount, transaction }) => (
          <Timeline.Item key={`${kind} ${id}`} title={kind}>
            <CodeValue value={id} shorten />
            {amount !== undefined && (
              <Text size="sm">
                <Carbon text={amount} />
              </Text>
            )}
            {transaction !== undefined && <CodeValue value={transaction} shorten />}
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  );
}
