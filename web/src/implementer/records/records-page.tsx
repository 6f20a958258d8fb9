import { Button, List as Items, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";

type Submission = Schemas["Submission"];

const statuses = ["incomplete", "received", "waiting", "accepted", "refused", "replaced", "deleted"] as const;
const changes = ["implementer", "records"];

/** Records that phones sent: who sent them, what was made of them, and why Hearth refused them. */
export function RecordsPage() {
  const { t } = useTranslation();
  const word = useStateWord("submission");
  const [chosen, setChosen] = useState<Submission>();
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("implementer.records.status"),
        options: statuses.map((value) => ({ value, label: word(value) })),
      },
      campaignId: { kind: "text", label: t("implementer.records.campaign") },
    },
  });
  const filter = Object.fromEntries(Object.entries(list.values).filter(([, value]) => value !== undefined));
  const rows = useCursorRows<Submission>({
    queryKey: [...changes, filter],
    page: (at, signal) => hearth.get("/v1/odk/submissions", { query: { ...at, ...filter }, signal }),
    staleTime: 0,
  });
  const columns: Column<Submission>[] = [
    {
      key: "received",
      header: t("implementer.records.received"),
      cell: ({ receivedAt }) => <Moment at={receivedAt} />,
      width: "11rem",
    },
    {
      key: "person",
      header: t("implementer.records.person"),
      cell: ({ collector }) => <span translate="no">{collector.name ?? collector.id}</span>,
      width: "9rem",
    },
    {
      key: "form",
      header: t("implementer.records.form"),
      cell: ({ form, day }) =>
        day === null ? t(`implementer.records.kind.${form}`) : t("implementer.records.visitOfDay", { day }),
      width: "10rem",
    },
    {
      key: "status",
      header: t("implementer.records.status"),
      cell: ({ status }) => <StateBadge kind="submission" state={status} />,
      width: "8rem",
    },
    {
      key: "result",
      header: t("implementer.records.result"),
      width: "18rem",
      cell: ({ resultId, details }) =>
        details.length === 0 ? (
          (resultId ?? t("common.none"))
        ) : (
          <Items size="sm" lang="en">
            {details.map(({ path, rule, message }) => (
              <Items.Item key={`${path} ${rule} ${message}`}>{message}</Items.Item>
            ))}
          </Items>
        ),
    },
    {
      key: "delete",
      header: t("implementer.records.action"),
      width: "7rem",
      cell: (row) =>
        row.status !== "accepted" &&
        row.status !== "deleted" && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("implementer.records.delete")} ${row.instanceId}`}
            onClick={() => setChosen(row)}
          >
            {t("implementer.records.delete")}
          </Button>
        ),
    },
  ];
  return (
    <PageFrame title={t("nav.implementer.records")} lead={t("implementer.records.lead")}>
      <FilteredList
        list={list}
        label={t("nav.implementer.records")}
        empty={t("implementer.records.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {chosen !== undefined && <DeleteDialog id={chosen.id} onClose={() => setChosen(undefined)} />}
    </PageFrame>
  );
}

function DeleteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { reason: "" } });
  const remove = useMutation({
    mutationFn: ({ reason }: { reason: string }) =>
      hearth.post("/v1/odk/submissions/{id}/delete", { path: { id }, body: { reason: reason.trim() } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: changes });
      onClose();
    },
  });
  return (
    <Dialog title={t("implementer.records.deleteTitle")} onClose={onClose}>
      <Form
        form={form}
        work={remove}
        submit={t("implementer.records.delete")}
        canSubmit={form.values.reason.trim() !== ""}
        onCancel={onClose}
      >
        <Text size="sm">{t("implementer.records.deleteHint")}</Text>
        <TextInput
          label={t("implementer.records.reason")}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps("reason")}
        />
      </Form>
    </Dialog>
  );
}
