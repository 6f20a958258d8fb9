import { Button, Tabs, Text, TextInput } from "@mantine/core";
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
import { useReasonText } from "../../show/use-reason-text.ts";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { ProgressTable } from "./progress-table.tsx";
import { Reasons } from "./reason-text.tsx";
import { RecordDialog } from "./record-dialog.tsx";

type Submission = Schemas["Submission"];

const statuses = ["incomplete", "received", "waiting", "accepted", "refused", "replaced", "deleted"] as const;
const changes = ["implementer", "records"];

/** Records that phones sent, and how many each person has sent from each village. */
export function RecordsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.records")} lead={t("implementer.records.lead")}>
      <Tabs defaultValue="records" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="records">{t("implementer.records.list")}</Tabs.Tab>
          <Tabs.Tab value="progress">{t("implementer.records.progress")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="records">
          <RecordList />
        </Tabs.Panel>
        <Tabs.Panel value="progress">
          <ProgressTable />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}

/** Who sent each record, what was made of it, and why Hearth refused it. */
function RecordList() {
  const { t } = useTranslation();
  const word = useStateWord("submission");
  const say = useReasonText();
  const [deleted, setDeleted] = useState<Submission>();
  const [opened, setOpened] = useState<Submission>();
  const list = useList({
    filters: {
      person: { kind: "text", label: t("implementer.records.person") },
      status: {
        kind: "choice",
        label: t("implementer.records.status"),
        options: statuses.map((value) => ({ value, label: word(value) })),
      },
      region: { kind: "text", label: t("implementer.records.region") },
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
      text: ({ receivedAt }) => receivedAt,
      width: "10.5rem",
      wideOnly: true,
    },
    {
      key: "person",
      header: t("implementer.records.person"),
      cell: ({ collector }) => <span translate="no">{collector.name ?? collector.id}</span>,
      text: ({ collector }) => collector.name ?? collector.id,
      width: "8rem",
    },
    {
      key: "form",
      header: t("implementer.records.form"),
      cell: ({ form, day }) =>
        day === null ? t(`implementer.records.kind.${form}`) : t("implementer.records.visitOfDay", { day }),
      text: ({ form, day }) => (day === null ? form : `${form} ${day}`),
      width: "7.5rem",
      wideOnly: true,
    },
    {
      key: "region",
      header: t("implementer.records.village"),
      cell: ({ region }) => region ?? t("common.none"),
      text: ({ region }) => region,
      width: "7.5rem",
      wideOnly: true,
    },
    {
      key: "status",
      header: t("implementer.records.status"),
      cell: ({ status }) => <StateBadge kind="submission" state={status} />,
      text: ({ status }) => status,
      width: "7.5rem",
    },
    {
      key: "result",
      header: t("implementer.records.result"),
      cell: ({ resultId, details }) => <Result resultId={resultId} reasons={details} />,
      text: ({ resultId, details }) => resultId ?? details.map((reason) => say(reason).text).join(" "),
      width: "14rem",
      wideOnly: true,
    },
    {
      key: "action",
      header: t("implementer.records.action"),
      width: "7rem",
      cell: (row) => {
        const action = t(`implementer.records.${row.correctIn === "console" ? "correct" : "open"}`);
        return (
          <Button
            size="compact-sm"
            variant={row.correctIn === "console" ? "light" : "default"}
            aria-label={`${action} ${row.instanceId}`}
            onClick={() => setOpened(row)}
          >
            {action}
          </Button>
        );
      },
    },
  ];
  return (
    <>
      <FilteredList
        list={list}
        label={t("nav.implementer.records")}
        empty={t("implementer.records.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        wraps
      />
      {deleted !== undefined && <DeleteDialog id={deleted.id} onClose={() => setDeleted(undefined)} />}
      {opened !== undefined && (
        <RecordDialog
          record={opened}
          onDelete={(record) => {
            setOpened(undefined);
            setDeleted(record);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** What was made of a record, or every reason why nothing was. */
function Result({ resultId, reasons }: { resultId: string | null; reasons: Submission["details"] }) {
  const { t } = useTranslation();
  if (reasons.length === 0) return <span translate="no">{resultId ?? t("common.none")}</span>;
  return <Reasons reasons={reasons} />;
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
