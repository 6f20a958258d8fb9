import { Table } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { TraceEnd, TraceEvent, TraceLink as TraceStep } from "../../../../wire/src/reports.ts";
import { lazyPart } from "../../lazy-part.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { TraceLink } from "../trace-link.tsx";
import { useEventText, useRelation } from "./relation.ts";
import { keyOf } from "./report.ts";

const EventDetails = lazyPart("regulator/record", () => import("./event-details.tsx"), "EventDetails");

/** The picture as a table: each step with its transaction. */
export function StepsTable({ links }: { links: TraceStep[] }) {
  const { t } = useTranslation();
  const relationText = useRelation();
  return (
    <WideTable label={t("regulator.trace.steps")} minWidth={760}>
      <Table aria-label={t("regulator.trace.steps")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.trace.from")}</Table.Th>
            <Table.Th>{t("regulator.trace.relation")}</Table.Th>
            <Table.Th>{t("regulator.trace.to")}</Table.Th>
            <Table.Th>{t("common.transaction")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {links.map(({ from, to, relation, transactionHash }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two steps may be equal
            <Table.Tr key={`${index} ${keyOf(to)}`}>
              <Table.Td>
                <EndCell end={from} />
              </Table.Td>
              <Table.Td>{relationText(relation)}</Table.Td>
              <Table.Td>
                <EndCell end={to} />
              </Table.Td>
              <Table.Td>
                <CodeValue value={transactionHash} shorten />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

const named = new Set(["draw", "result", "pool", "account", "action"]);

function EndCell({ end: { type, id } }: { end: TraceEnd }) {
  const { t } = useTranslation();
  return (
    <>
      {t(`regulator.trace.type.${type}`)} {named.has(type) ? <CodeValue value={id} shorten /> : <TraceLink id={id} />}
    </>
  );
}

/** The events of the requested id. */
export function HistoryTable({ history }: { history: TraceEvent[] }) {
  const { t } = useTranslation();
  const eventText = useEventText();
  return (
    <WideTable label={t("regulator.trace.history")} minWidth={760}>
      <Table aria-label={t("regulator.trace.history")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.trace.time")}</Table.Th>
            <Table.Th>{t("regulator.trace.event")}</Table.Th>
            <Table.Th>{t("regulator.trace.block")}</Table.Th>
            <Table.Th>{t("common.transaction")}</Table.Th>
            <Table.Th>{t("regulator.trace.data")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {history.map((each) => (
            <Table.Tr key={`${each.transactionHash} ${each.logIndex}`}>
              <Table.Td>
                <Moment at={each.timestamp} />
              </Table.Td>
              <Table.Td>{eventText(each)}</Table.Td>
              <Table.Td>{each.blockNumber}</Table.Td>
              <Table.Td>
                <CodeValue value={each.transactionHash} shorten />
              </Table.Td>
              <Table.Td>
                {/* A file has the arguments as the chain has them. */}
                <data hidden value={JSON.stringify(each.data)} />
                <Details event={each} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** What the event says, loaded when a person opens it. */
function Details({ event: { event, data } }: { event: TraceEvent }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("common.details")}</summary>
      {isOpen && (
        <WhenLoaded>
          <EventDetails event={event} data={data} />
        </WhenLoaded>
      )}
    </details>
  );
}
