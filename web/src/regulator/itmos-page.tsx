import { Button, Stack, Tabs, Text, Title } from "@mantine/core";
import { lazy, useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { useDecisionColumn } from "../decisions/decision-column.tsx";
import { useSession } from "../session/session.ts";
import { Amount } from "../show/amount.tsx";
import { Day, Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { Column } from "../table/data-table.tsx";
import { useAddress } from "../table/use-address.ts";
import { BufferLists } from "./buffer-lists.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const ReduceDialog = lazy(async () => ({ default: (await import("./reduce-dialog.tsx")).ReduceDialog }));

export function ItmosPage() {
  const { t } = useTranslation();
  const [tab, setTab] = useAddress("tab", ["blocks", "conversions", "authorizations", "buffer"]);
  return (
    <PageFrame title={t("regulator.itmos.title")} lead={t("regulator.itmos.lead")}>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="blocks">{t("regulator.itmos.blocks")}</Tabs.Tab>
          <Tabs.Tab value="conversions">{t("regulator.itmos.conversions")}</Tabs.Tab>
          <Tabs.Tab value="authorizations">{t("regulator.itmos.authorizations")}</Tabs.Tab>
          <Tabs.Tab value="buffer">{t("regulator.buffer.title")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="blocks">
          <Blocks />
        </Tabs.Panel>
        <Tabs.Panel value="conversions">
          <Conversions />
        </Tabs.Panel>
        <Tabs.Panel value="authorizations">
          <Authorizations />
          <Title order={2} size="h4" my="md">
            {t("regulator.itmos.changes")}
          </Title>
          <Changes />
        </Tabs.Panel>
        <Tabs.Panel value="buffer">
          <BufferLists />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}

const blockFields = [
  "publicId",
  "uniqueId",
  "status",
  "party",
  "quantity",
  "vintage",
  "firstTransfer",
  "createdAt",
  "authorization.leftPurpose",
  "authorization.reductionFinalAt",
] as const;
type Block = IndexRow<"itmoBlock", (typeof blockFields)[number]>;
const blockStates = ["held", "used-for-ndc", "used-for-oimp", "omge", "share-of-proceeds", "cancelled", "buffered"];

function Blocks() {
  const { t } = useTranslation();
  const columns: Column<Block>[] = [
    {
      key: "id",
      header: t("regulator.column.id"),
      width: "24rem",
      cell: ({ uniqueId }) => <TraceLink id={uniqueId} />,
    },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "12rem",
      cell: ({ status }) => <StateBadge kind="itmoBlock" state={status} />,
    },
    {
      key: "authorization",
      header: t("regulator.column.authorization"),
      width: "12rem",
      wideOnly: true,
      cell: ({ firstTransfer, authorization }) => (
        <StateBadge
          kind="authorization"
          state={firstTransfer === null ? authorizationStatus(authorization) : "first-transferred"}
        />
      ),
    },
    {
      key: "party",
      header: t("regulator.column.party"),
      width: "5rem",
      cell: ({ party }) => party ?? t("common.none"),
    },
    {
      key: "tonnes",
      header: t("regulator.column.tonnes"),
      width: "6rem",
      align: "end",
      sortBy: "quantity",
      cell: (row) => row.quantity,
    },
    {
      key: "vintage",
      header: t("regulator.column.vintage"),
      width: "6rem",
      sortBy: "vintage",
      cell: (row) => row.vintage,
    },
    {
      key: "time",
      header: t("regulator.column.registered"),
      width: "12rem",
      cell: (row) => <Moment at={row.createdAt} />,
    },
  ];
  return (
    <IndexList
      label={t("regulator.itmos.blocks")}
      empty={t("regulator.itmos.noBlocks")}
      table="itmoBlock"
      name="itmoBlock"
      fields={blockFields}
      id="uniqueId"
      kind="itmoBlock"
      states={blockStates}
      firstSort={{ by: "id", direction: "asc" }}
      columns={columns}
    />
  );
}

const conversionFields = [
  "publicId",
  "status",
  "amount",
  "quantity",
  "registryId",
  "firstId",
  "lastId",
  "requestedAt",
  "implementer.did",
] as const;
type Conversion = IndexRow<"itmoConversion", (typeof conversionFields)[number]>;

function Conversions() {
  const { t } = useTranslation();
  const decide = useDecisionColumn("conversion", ({ publicId, status }: Conversion) => ({
    id: publicId,
    state: status,
  }));
  const columns: Column<Conversion>[] = [
    { key: "id", header: t("regulator.column.id"), cell: ({ publicId }) => <TraceLink id={publicId} /> },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "8rem",
      cell: ({ status }) => <StateBadge kind="conversion" state={status} />,
    },
    ...decide,
    { key: "carbon", header: t("regulator.column.carbon"), align: "end", cell: (row) => <Amount micro={row.amount} /> },
    { key: "tonnes", header: t("regulator.column.tonnes"), width: "6rem", align: "end", cell: (row) => row.quantity },
    {
      key: "serials",
      header: t("regulator.column.serials"),
      width: "20rem",
      cell: ({ registryId, firstId, lastId }) =>
        firstId === null ? t("common.none") : `${registryId} ${firstId} – ${lastId}`,
    },
    {
      key: "implementer",
      header: t("regulator.column.implementer"),
      width: "14rem",
      wideOnly: true,
      cell: (row) => row.implementer?.did,
    },
    { key: "time", header: t("regulator.column.time"), width: "12rem", cell: (row) => <Moment at={row.requestedAt} /> },
  ];
  return (
    <IndexList
      label={t("regulator.itmos.conversions")}
      empty={t("regulator.itmos.noConversions")}
      table="itmoConversion"
      name="itmoConversion"
      fields={conversionFields}
      id="publicId"
      kind="conversion"
      states={["requested", "finalised", "reverted"]}
      firstSort={{ by: "index", direction: "desc" }}
      columns={columns}
    />
  );
}

const authorizationFields = [
  "authorizationId",
  "quantity",
  "committed",
  "issued",
  "firstYear",
  "lastYear",
  "leftPurpose",
  "leftQuantity",
  "reductionFinalAt",
  "approach.cooperativeApproachId",
] as const;
type Authorization = IndexRow<"itmoAuthorization", (typeof authorizationFields)[number]>;

type Left = { leftPurpose: string | null; reductionFinalAt: string | null };

function authorizationStatus(left: Left | null | undefined): string {
  if (!left || left.reductionFinalAt === null) return "authorized";
  return left.leftPurpose === null ? "revoked" : "reduced";
}

/** Status; of a reduced or revoked authorization also the day when that becomes final. */
function Status(row: Authorization) {
  const badge = <StateBadge kind="authorization" state={authorizationStatus(row)} />;
  if (row.reductionFinalAt === null) return badge;
  const day = <Day at={Number(row.reductionFinalAt) / 86_400} />;
  return (
    <Stack gap={2}>
      {badge}
      <Text size="xs">
        <Trans i18nKey="regulator.itmos.finalOn" components={{ day }} />
      </Text>
    </Stack>
  );
}

function Authorizations() {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  // This only hides the button; the API enforces it.
  const canReduce = role === "regulator" || role === "admin";
  const [chosen, setChosen] = useState<string>();
  const tonnes = (key: "quantity" | "committed" | "issued"): Column<Authorization> => ({
    key,
    header: t(`regulator.column.${key}`),
    width: "7rem",
    align: "end",
    cell: (row) => row[key],
  });
  const columns: Column<Authorization>[] = [
    { key: "id", header: t("regulator.column.authorization"), width: "14rem", cell: (row) => row.authorizationId },
    {
      key: "approach",
      header: t("regulator.column.approach"),
      width: "7rem",
      cell: (row) => row.approach?.cooperativeApproachId,
    },
    { key: "status", header: t("regulator.column.status"), width: "12rem", cell: Status },
    {
      key: "left",
      header: t("regulator.itmos.left"),
      width: "10rem",
      wideOnly: true,
      cell: ({ leftPurpose, leftQuantity }) =>
        leftPurpose === null || leftQuantity === null
          ? t("common.none")
          : t("regulator.itmos.leftOf", { purpose: leftPurpose, tonnes: leftQuantity }),
    },
    tonnes("quantity"),
    tonnes("committed"),
    tonnes("issued"),
    {
      key: "years",
      header: t("regulator.column.vintage"),
      width: "8rem",
      cell: ({ firstYear, lastYear }) => (lastYear === 0 ? t("common.all") : `${firstYear} – ${lastYear}`),
    },
    ...(canReduce
      ? [
          {
            key: "reduce",
            header: t("regulator.reduce.action"),
            width: "10rem",
            cell: ({ authorizationId: id }: Authorization) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`${t("regulator.reduce.open")} ${id}`}
                onClick={() => setChosen(id)}
              >
                {t("regulator.reduce.open")}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <IndexList
        label={t("regulator.itmos.authorizations")}
        empty={t("regulator.itmos.noAuthorizations")}
        table="itmoAuthorization"
        fields={authorizationFields}
        id="authorizationId"
        firstSort={{ by: "index", direction: "desc" }}
        columns={columns}
        pathOf={null}
      />
      {chosen !== undefined && (
        <WhenLoaded fallback={null}>
          <ReduceDialog authorizationId={chosen} onClose={() => setChosen(undefined)} />
        </WhenLoaded>
      )}
    </>
  );
}

const changeFields = [
  "sequence",
  "kind",
  "purpose",
  "quantity",
  "reason",
  "changedAt",
  "authorization.authorizationId",
] as const;
type Change = IndexRow<"authorizationChange", (typeof changeFields)[number]>;

function Changes() {
  const { t } = useTranslation();
  const word = useStateWord("authorizationChange");
  const columns: Column<Change>[] = [
    {
      key: "time",
      header: t("regulator.column.time"),
      width: "12rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.changedAt} />,
    },
    {
      key: "authorization",
      header: t("regulator.column.authorization"),
      width: "14rem",
      cell: (row) => row.authorization?.authorizationId,
    },
    { key: "kind", header: t("regulator.itmos.change"), width: "8rem", cell: ({ kind }) => word(kind) },
    {
      key: "left",
      header: t("regulator.itmos.left"),
      width: "10rem",
      wideOnly: true,
      cell: ({ purpose, quantity }) =>
        purpose === null || quantity === null
          ? t("common.none")
          : t("regulator.itmos.leftOf", { purpose, tonnes: quantity }),
    },
    { key: "reason", header: t("regulator.itmos.reason"), cell: ({ reason }) => <span lang="en">{reason}</span> },
  ];
  return (
    <IndexList
      label={t("regulator.itmos.changes")}
      empty={t("regulator.itmos.noChanges")}
      table="authorizationChange"
      name="changes"
      fields={changeFields}
      id="sequence"
      firstSort={{ by: "sequence", direction: "desc" }}
      columns={columns}
      pathOf={null}
    />
  );
}
