import { Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { encodeConversionId } from "../../../wire/src/ids.ts";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Day, Moment } from "../show/moment.tsx";
import { useStateWord } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const holdFields = [
  "conversionIndex",
  "firstId",
  "lastId",
  "quantity",
  "held",
  "cancelled",
  "released",
  "heldUntil",
] as const;
type Hold = IndexRow<"bufferHold", (typeof holdFields)[number]>;

const changeFields = [
  "sequence",
  "kind",
  "firstId",
  "lastId",
  "quantity",
  "changedAt",
  "conversionIndex",
  "certificate.certificateId",
] as const;
type Change = IndexRow<"bufferChange", (typeof changeFields)[number]>;

const serials = ({ firstId, lastId }: { firstId: unknown; lastId: unknown }) =>
  firstId === lastId ? String(firstId) : `${firstId}–${lastId}`;

/** What the invalidation buffer holds of each conversion, and each cancellation and release. */
export function BufferLists() {
  const { t } = useTranslation();
  return (
    <>
      <Holds />
      <Title order={2} size="h4" my="md">
        {t("regulator.buffer.changes")}
      </Title>
      <Changes />
    </>
  );
}

function Holds() {
  const { t } = useTranslation();
  const tonnes = (key: "quantity" | "held" | "cancelled" | "released"): Column<Hold> => ({
    key,
    header: t(`regulator.buffer.${key}`),
    width: "7rem",
    align: "end",
    sortBy: key,
    cell: (row) => row[key],
  });
  const columns: Column<Hold>[] = [
    {
      key: "conversion",
      header: t("regulator.buffer.conversion"),
      width: "9rem",
      cell: ({ conversionIndex }) => <TraceLink id={encodeConversionId(BigInt(conversionIndex))} />,
    },
    tonnes("quantity"),
    tonnes("held"),
    tonnes("cancelled"),
    tonnes("released"),
    {
      key: "until",
      header: t("regulator.buffer.until"),
      width: "9rem",
      sortBy: "heldUntil",
      cell: ({ heldUntil }) => <Day at={heldUntil} />,
    },
    { key: "serials", header: t("regulator.buffer.serials"), width: "10rem", wideOnly: true, cell: serials },
  ];
  return (
    <IndexList
      label={t("regulator.buffer.title")}
      empty={t("regulator.buffer.empty")}
      table="bufferHold"
      name="buffer"
      fields={holdFields}
      id="conversionIndex"
      firstSort={{ by: "heldUntil", direction: "asc" }}
      columns={columns}
      pathOf={null}
    />
  );
}

function Changes() {
  const { t } = useTranslation();
  const word = useStateWord("bufferChange");
  const columns: Column<Change>[] = [
    {
      key: "time",
      header: t("regulator.column.time"),
      width: "10rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.changedAt} />,
    },
    { key: "kind", header: t("regulator.buffer.kind"), width: "9rem", cell: ({ kind }) => word(kind) },
    {
      key: "conversion",
      header: t("regulator.buffer.conversion"),
      width: "9rem",
      cell: ({ conversionIndex }) => <TraceLink id={encodeConversionId(BigInt(conversionIndex))} />,
    },
    {
      key: "certificate",
      header: t("regulator.column.certificate"),
      width: "9rem",
      cell: ({ certificate }) => certificate && <TraceLink id={certificate.certificateId} />,
    },
    {
      key: "tonnes",
      header: t("regulator.column.tonnes"),
      width: "6rem",
      align: "end",
      cell: ({ quantity }) => quantity,
    },
    { key: "serials", header: t("regulator.buffer.serials"), width: "10rem", wideOnly: true, cell: serials },
  ];
  return (
    <IndexList
      label={t("regulator.buffer.changes")}
      empty={t("regulator.buffer.noChanges")}
      table="bufferChange"
      name="bufferChanges"
      fields={changeFields}
      id="sequence"
      firstSort={{ by: "sequence", direction: "desc" }}
      columns={columns}
      pathOf={null}
    />
  );
}
