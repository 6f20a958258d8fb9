import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../api/client.ts";
import { Moment } from "../show/moment.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { FilteredList } from "../table/filtered-list.tsx";
import { useCursorRows } from "../table/use-cursor-rows.ts";
import { useList } from "../table/use-list.ts";
import { type Payout, usePayoutAmount } from "./payout.ts";
import { PayoutSteps } from "./payout-steps.tsx";

/** Query key of every list of payouts. */
export const payoutsKey = ["payouts"];
const statuses = ["waiting", "sent", "unknown", "succeeded", "failed"] as const;
/** Payouts change while a partner decides. */
const refreshMs = 15_000;

type PayoutListProps = {
  label: string;
  /** Absent: of all suppliers. */
  supplierDid?: string;
  /** What can be done with a payout. */
  action?: (payout: Payout) => ReactNode;
};

/** Payouts to mobile money with their state; a press shows each step. */
export function PayoutList({ label, supplierDid, action }: PayoutListProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<Payout>();
  const word = useStateWord("payout");
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("payouts.filter"),
        options: statuses.map((value) => ({ value, label: word(value) })),
      },
    },
  });
  const { status } = list.values;
  const rows = useCursorRows<Payout>({
    queryKey: [...payoutsKey, supplierDid, status],
    page: (at, signal) => hearth.get("/v1/payouts", { query: { ...at, supplierDid, status }, signal }),
    refreshMs,
  });
  const columns = useColumns({ isOfAll: supplierDid === undefined, action, onSteps: setOpened });
  return (
    <>
      <FilteredList
        list={list}
        label={label}
        empty={t("payouts.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {opened !== undefined && <PayoutSteps payout={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

type ColumnOptions = {
  isOfAll: boolean;
  action: PayoutListProps["action"];
  onSteps: (payout: Payout) => void;
};

function useColumns({ isOfAll, action, onSteps }: ColumnOptions): Column<Payout>[] {
  const { t } = useTranslation();
  const amount = usePayoutAmount();
  const word = useStateWord("payout");
  const why = ({ waitsFor, status, attempts }: Payout) => {
    if (waitsFor !== null) return t(`payouts.waitsFor.${waitsFor}`);
    return status === "succeeded" ? "" : (attempts.at(-1)?.reason ?? "");
  };
  const supplier: Column<Payout> = {
    key: "supplier",
    header: t("payouts.column.supplier"),
    width: "12rem",
    wideOnly: true,
    text: ({ supplierDid }) => supplierDid,
    cell: ({ supplierDid }) => supplierDid,
  };
  return [
    { key: "amount", header: t("payouts.column.amount"), width: "8rem", align: "end", text: amount, cell: amount },
    {
      key: "status",
      header: t("payouts.column.status"),
      width: "9rem",
      text: ({ status }) => word(status),
      cell: ({ status }) => <StateBadge kind="payout" state={status} />,
    },
    {
      key: "steps",
      header: t("payouts.column.steps"),
      width: "9rem",
      cell: (payout) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t("payouts.steps.show")} ${payout.id}`}
          onClick={() => onSteps(payout)}
        >
          {t("payouts.steps.show")}
        </Button>
      ),
    },
    ...(action === undefined
      ? []
      : [{ key: "action", header: t("payouts.partners.action"), width: "8rem", cell: action }]),
    {
      key: "why",
      header: t("payouts.column.why"),
      width: "15rem",
      wideOnly: true,
      text: why,
      cell: (payout) => <span lang={payout.waitsFor === null ? "en" : undefined}>{why(payout)}</span>,
    },
    ...(isOfAll ? [supplier] : []),
    {
      key: "account",
      header: t("payouts.column.account"),
      width: "8rem",
      wideOnly: true,
      text: ({ attempts }) => attempts.at(-1)?.account,
      cell: ({ attempts }) => attempts.at(-1)?.account ?? t("common.none"),
    },
    {
      key: "paidAt",
      header: t("payouts.column.paidAt"),
      width: "11rem",
      wideOnly: true,
      text: ({ paidAt }) => paidAt,
      cell: ({ paidAt }) => <Moment at={paidAt} />,
    },
    {
      key: "id",
      header: t("payouts.column.id"),
      width: "18rem",
      wideOnly: true,
      text: ({ id }) => id,
      cell: ({ id }) => id,
    },
  ];
}
