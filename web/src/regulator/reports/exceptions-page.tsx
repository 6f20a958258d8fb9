import { Alert, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ExceptionAuthorization, ExceptionCertificate } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../../show/state-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { TraceLink } from "../trace-link.tsx";
import { CsvButton } from "./csv-button.tsx";

/** Suspended and revoked certificates, and what happened to their CARBON. */
export function ExceptionsPage() {
  const { t } = useTranslation();
  const rows = useCursorRows({
    queryKey: ["regulator", "exceptions"],
    page: async (at, signal) => {
      const { certificates, nextCursor } = await hearth.get("/reports/exceptions", { query: at, signal });
      return { items: certificates, nextCursor };
    },
  });
  return (
    <PageFrame
      title={t("regulator.exceptions.title")}
      lead={t("regulator.exceptions.lead")}
      actions={
        <CsvButton
          name="exceptions"
          request={() => hearth.raw("get", "/reports/exceptions", { query: { format: "csv" } })}
        />
      }
    >
      <DataTable
        label={t("regulator.exceptions.title")}
        empty={t("regulator.exceptions.empty")}
        columns={useColumns()}
        rows={rows}
        rowKey={(row) => row.certificateId}
        wraps
      />
      <Authorizations />
      <RevokedClaims />
    </PageFrame>
  );
}

function useColumns(): Column<ExceptionCertificate>[] {
  const { t } = useTranslation();
  const carbon = (key: "unspent" | "released" | "converted"): Column<ExceptionCertificate> => ({
    key,
    header: t(`regulator.exceptions.${key}`),
    width: "6.5rem",
    align: "end",
    cell: (row) => <Amount value={row[key]} />,
  });
  return [
    {
      key: "id",
      header: t("regulator.column.certificate"),
      width: "10.5rem",
      cell: (row) => (
        <Stack gap={0}>
          <TraceLink id={row.certificateId} />
          <Text size="xs" c="dimmed">
            {row.implementerDid} · {row.vintage}
          </Text>
        </Stack>
      ),
    },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "10rem",
      cell: ({ status, since, reason }) => (
        <Stack gap={2} align="flex-start">
          <StateBadge kind="certificate" state={status} />
          <Text size="xs">
            {since !== null && <Moment at={since} />} {reason}
          </Text>
        </Stack>
      ),
    },
    { key: "units", header: t("regulator.exceptions.units"), width: "13rem", cell: (row) => <Units {...row} /> },
    {
      key: "issued",
      header: t("regulator.column.issued"),
      width: "6.5rem",
      align: "end",
      cell: ({ issued }) => <Issued {...issued} />,
    },
    carbon("unspent"),
    carbon("released"),
    carbon("converted"),
  ];
}

function Issued({ byEvents, byChain, agree }: ExceptionCertificate["issued"]) {
  const { t } = useTranslation();
  return (
    <Stack gap={0} align="flex-end">
      {byEvents === null ? t("common.none") : <Amount value={byEvents} />}
      {agree === false && byChain !== null && (
        <Text size="xs" c="red">
          {t("regulator.exceptions.differs")} <Amount value={byChain} />
        </Text>
      )}
    </Stack>
  );
}

/** The ITMOs that the CARBON became, by status. */
function Units({ units, blocks }: ExceptionCertificate) {
  const { t } = useTranslation();
  const word = useStateWord("itmoBlock");
  if (units.length === 0) return t("common.none");
  return (
    <Stack gap={2}>
      {units.map(({ status, firstTransferred, carbon }) => (
        <Text key={`${status} ${firstTransferred}`} size="sm">
          <Amount value={carbon} /> {word(status)}
          {firstTransferred && `, ${t("regulator.exceptions.firstTransferred")}`}
        </Text>
      ))}
      <details>
        <summary>{t("regulator.exceptions.blocks", { count: blocks.length })}</summary>
        {blocks.map(({ uniqueId }) => (
          <div key={uniqueId} style={{ overflowWrap: "anywhere" }}>
            <TraceLink id={uniqueId} />
          </div>
        ))}
      </details>
    </Stack>
  );
}

/** Claims that were revoked after a certificate counted them. */
function RevokedClaims() {
  const { t } = useTranslation();
  const { data } = useFirstExceptions();
  if (data === undefined || data.revokedClaims.length === 0) return null;
  const title = t("regulator.exceptions.revokedClaims");
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      <WideTable label={title} minWidth={640}>
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("regulator.column.certificate")}</Table.Th>
              <Table.Th>{t("regulator.exceptions.claim")}</Table.Th>
              <Table.Th>{t("regulator.exceptions.revoked")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.revokedClaims.map(({ certificateId, certificateStatus, campaignId, claimId, reason, revokedAt }) => (
              <Table.Tr key={claimId}>
                <Table.Td>
                  <TraceLink id={certificateId} /> <StateBadge kind="certificate" state={certificateStatus} />
                </Table.Td>
                <Table.Td>
                  {campaignId}: {claimId}
                </Table.Td>
                <Table.Td>
                  <Moment at={revokedAt} /> {reason}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}

/** The first page of the report, which has the lists that are not paged. */
function useFirstExceptions() {
  return useQuery({
    queryKey: ["regulator", "exceptions", "authorizations"],
    queryFn: ({ signal }) => hearth.get("/reports/exceptions", { query: { limit: 100 }, signal }),
  });
}

/** The authorizations under which the CARBON was converted, and what can still be taken away. */
function Authorizations() {
  const { t } = useTranslation();
  const { data, error, refetch } = useFirstExceptions();
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.authorizations.length === 0) return null;
  const figures = ["quantity", "issued", "reducible", "firstTransferred", "notFirstTransferred"] as const;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t("regulator.exceptions.authorizations")}
      </Title>
      {data.nextCursor !== null && <Alert color="gray">{t("regulator.exceptions.firstOnly")}</Alert>}
      <WideTable label={t("regulator.exceptions.authorizations")} minWidth={640}>
        <Table aria-label={t("regulator.exceptions.authorizations")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("regulator.column.authorization")}</Table.Th>
              <Table.Th>{t("regulator.column.status")}</Table.Th>
              {figures.map((name) => (
                <Table.Th key={name} ta="end">
                  {t(`regulator.exceptions.authorization.${name}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.authorizations.map((authorization: ExceptionAuthorization) => (
              <Table.Tr key={authorization.authorizationId}>
                <Table.Td>{`${authorization.authorizationId} (${authorization.version})`}</Table.Td>
                <Table.Td>{t(`regulator.exceptions.authorizationStatus.${authorization.status}`)}</Table.Td>
                {figures.map((name) => (
                  <Table.Td key={name} ta="end">
                    <Amount value={authorization[name]} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}
