import { Stack, Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { fromMicro } from "../../../wire/src/exact.ts";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Amount } from "../show/amount.tsx";
import { Day, Moment, timeText } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const fields = [
  "certificateId",
  "status",
  "revocationFinalAt",
  "vintage",
  "verifiedReduction",
  "issued",
  "registeredAt",
  "implementer.did",
] as const;
type Certificate = IndexRow<"certificate", (typeof fields)[number]>;
const states = ["pending", "valid", "suspended", "revoked"];

export function CertificatesPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.certificates.title")} lead={t("regulator.certificates.lead")}>
      <IndexList
        empty={t("regulator.certificates.empty")}
        label={t("regulator.certificates.title")}
        table="certificate"
        id="certificateId"
        firstSort={{ by: "sequence", direction: "desc" }}
        columns={useColumns()}
        linked={{
          implementer: { column: "implementerIndex", label: t("regulator.filter.implementer") },
        }}
        kind="certificate"
        {...{ fields, states }}
      />
    </PageFrame>
  );
}

/** Status; for a revoked certificate also the day when its revocation becomes final. */
function Status({ status, revocationFinalAt }: Certificate) {
  const badge = <StateBadge kind="certificate" state={status} />;
  if (revocationFinalAt === null) return badge;
  const day = <Day at={Number(revocationFinalAt) / 86_400} />;
  return (
    <Stack gap={2}>
      {badge}
      <Text size="xs">
        <Trans i18nKey="regulator.certificates.finalOn" components={{ day }} />
      </Text>
    </Stack>
  );
}

function useColumns(): Column<Certificate>[] {
  const { t } = useTranslation();
  const word = useStateWord("certificate");
  const header = (key: "id" | "status" | "vintage" | "verified" | "issued" | "implementer" | "registered") =>
    t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "13rem",
      sortBy: "certificateId",
      text: ({ certificateId }) => certificateId,
      cell: ({ certificateId }) => <TraceLink id={certificateId} />,
    },
    {
      key: "status",
      header: header("status"),
      width: "10rem",
      text: ({ status }) => word(status),
      cell: (row) => <Status {...row} />,
    },
    {
      key: "vintage",
      header: header("vintage"),
      width: "6rem",
      sortBy: "vintage",
      wideOnly: true,
      text: (row) => row.vintage,
      cell: (row) => row.vintage,
    },
    {
      key: "verified",
      header: header("verified"),
      width: "14rem",
      align: "end",
      sortBy: "verifiedReduction",
      text: (row) => fromMicro(BigInt(row.verifiedReduction)),
      cell: (row) => <Amount micro={row.verifiedReduction} unit="kg" />,
    },
    {
      key: "issued",
      header: header("issued"),
      width: "14rem",
      align: "end",
      sortBy: "issued",
      text: (row) => fromMicro(BigInt(row.issued)),
      cell: (row) => <Amount micro={row.issued} unit="kg" />,
    },
    {
      key: "implementer",
      header: header("implementer"),
      width: "14rem",
      wideOnly: true,
      text: (row) => row.implementer?.did,
      cell: (row) => row.implementer?.did,
    },
    {
      key: "registered",
      header: header("registered"),
      width: "12rem",
      sortBy: "sequence",
      text: (row) => timeText(row.registeredAt),
      cell: (row) => <Moment at={row.registeredAt} />,
    },
  ];
}
