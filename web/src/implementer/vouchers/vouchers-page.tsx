import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { TraceLink } from "../../regulator/trace-link.tsx";
import { Amount } from "../../show/amount.tsx";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { optionsOf, useList } from "../../table/use-list.ts";

type Voucher = Schemas["Voucher"];
const statuses = { active: 1, exhausted: 1, suspended: 1, cancelled: 1, expired: 1 } satisfies Record<
  Voucher["status"],
  1
>;

/** The vouchers that the field team issued, with their households. */
export function VouchersPage() {
  const { t } = useTranslation();
  const columns = useColumns();
  const list = useList({
    columns,
    filters: {
      batchId: { kind: "text", label: t("implementer.issue.batch") },
      certificate: { kind: "text", label: t("implementer.issue.certificate") },
      household: { kind: "text", label: t("implementer.vouchers.household") },
      status: {
        kind: "choice",
        label: t("implementer.campaigns.state"),
        options: optionsOf(statuses, (status) => t(`state.voucher.${status}`)),
      },
    },
  });
  const { batchId, certificate, household, status } = list.values;
  const query = {
    ...(batchId && { batchId }),
    ...(certificate && { emissionCertificateId: certificate }),
    ...(household && { recipientDid: household }),
    ...(status && { status }),
  };
  const rows = useCursorRows<Voucher>({
    queryKey: ["implementer", "vouchers", query],
    page: (at, signal) => hearth.get("/v1/vouchers", { query: { ...at, ...query }, signal }),
  });
  return (
    <PageFrame title={t("nav.implementer.vouchers")} lead={t("implementer.vouchers.lead")}>
      <FilteredList
        list={list}
        label={t("nav.implementer.vouchers")}
        empty={t("implementer.vouchers.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
    </PageFrame>
  );
}

function useColumns(): Column<Voucher>[] {
  const { t } = useTranslation();
  return [
    { key: "id", header: t("implementer.vouchers.id"), cell: ({ id }) => <TraceLink id={id} />, width: "13rem" },
    {
      key: "household",
      header: t("implementer.vouchers.household"),
      cell: ({ recipientDid }) => recipientDid ?? t("common.none"),
      width: "14rem",
    },
    {
      key: "status",
      header: t("implementer.campaigns.state"),
      cell: ({ status }) => <StateBadge kind="voucher" state={status} />,
      width: "8rem",
    },
    {
      key: "left",
      header: t("implementer.vouchers.left"),
      cell: ({ remainingBalance }) => <Amount value={remainingBalance} />,
      align: "end",
      width: "7rem",
    },
    {
      key: "value",
      header: t("implementer.vouchers.value"),
      cell: ({ value }) => <Amount value={value} />,
      align: "end",
      width: "7rem",
      wideOnly: true,
    },
    {
      key: "batch",
      header: t("implementer.issue.batch"),
      cell: ({ attributes }) => attributes.batchId,
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "to",
      header: t("implementer.issue.to"),
      cell: ({ attributes }) => <Day at={attributes.expiryDate} />,
      width: "8rem",
      wideOnly: true,
    },
  ];
}
