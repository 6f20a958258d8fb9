import { useTranslation } from "react-i18next";
import { fromMicro } from "../../../wire/src/exact.ts";
import { encodeVoucherId } from "../../../wire/src/ids.ts";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { lazyPart } from "../lazy-part.ts";
import { type Role, useSession } from "../session/session.ts";
import { Amount } from "../show/amount.tsx";
import { Moment, timeText } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const fields = ["publicId", "status", "voucherId", "amount", "consent", "redeemedAt", "supplier.did"] as const;
type Redemption = IndexRow<"redemption", (typeof fields)[number]>;
const states = [
  "pending_delivery",
  "under_review",
  "settled",
  "lapsed",
  "reversed",
  "rejected",
  "disputed",
  "invalidated",
];

const ActorFigures = lazyPart("regulator/record", () => import("./actors/actor-figures.tsx"), "ActorFigures");
const mayReadActors = (role: Role | undefined) => role === "admin" || role === "regulator" || role === "evaluator";

/** Every part of a voucher that a household has spent. */
export function RedemptionsPage() {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  return (
    <PageFrame title={t("regulator.redemptions.title")} lead={t("regulator.redemptions.lead")}>
      <IndexList
        empty={t("regulator.redemptions.empty")}
        label={t("regulator.redemptions.title")}
        table="redemption"
        id="publicId"
        firstSort={{ by: "sequence", direction: "desc" }}
        columns={useColumns()}
        linked={{
          supplier: { column: "supplierIndex", label: t("regulator.filter.supplier") },
          product: { column: "productIndex", label: t("regulator.filter.product") },
        }}
        kind="redemption"
        fields={fields}
        states={states}
      />
      {/* Staff only: who acted is not on chain. */}
      {mayReadActors(role) && (
        <WhenLoaded fallback={null}>
          <ActorFigures />
        </WhenLoaded>
      )}
    </PageFrame>
  );
}

function useColumns(): Column<Redemption>[] {
  const { t } = useTranslation();
  const statusWord = useStateWord("redemption");
  const consentWord = useStateWord("consent");
  const header = (key: "id" | "status" | "voucher" | "supplier" | "worth" | "consent" | "time") =>
    t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "17rem",
      text: ({ publicId }) => publicId,
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    {
      key: "status",
      header: header("status"),
      width: "10rem",
      text: ({ status }) => statusWord(status),
      cell: ({ status }) => <StateBadge kind="redemption" state={status} />,
    },
    {
      key: "worth",
      header: header("worth"),
      align: "end",
      sortBy: "amount",
      text: (row) => fromMicro(BigInt(row.amount)),
      cell: (row) => <Amount micro={row.amount} unit="carbon" />,
    },
    {
      key: "voucher",
      header: header("voucher"),
      width: "13rem",
      text: ({ voucherId }) => encodeVoucherId(BigInt(voucherId)),
      cell: ({ voucherId }) => <TraceLink id={encodeVoucherId(BigInt(voucherId))} />,
    },
    {
      key: "supplier",
      header: header("supplier"),
      width: "14rem",
      wideOnly: true,
      text: (row) => row.supplier?.did,
      cell: (row) => row.supplier?.did,
    },
    {
      key: "consent",
      header: header("consent"),
      width: "8rem",
      wideOnly: true,
      text: (row) => consentWord(row.consent),
      cell: (row) => consentWord(row.consent),
    },
    {
      key: "time",
      header: header("time"),
      width: "12rem",
      sortBy: "sequence",
      text: (row) => timeText(row.redeemedAt),
      cell: (row) => <Moment at={row.redeemedAt} />,
    },
  ];
}
