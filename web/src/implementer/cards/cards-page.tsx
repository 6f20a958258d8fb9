import { Anchor, Button, NumberInput, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { cardChanges } from "./card-actions.tsx";
import { type CardLanguage, cardLanguages, languageNames } from "./languages.ts";

type Batch = Schemas["CardBatch"];

const mostCards = 100_000;

/** Batches of household cards: make one, print it, and see its cards. */
export function CardsPage() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const rows = useCursorRows<Batch>({
    queryKey: [...cardChanges, "batches"],
    page: (at, signal) => hearth.get("/v1/card-batches", { query: at, signal }),
  });
  const columns: Column<Batch>[] = [
    {
      key: "batch",
      header: t("implementer.cards.batch"),
      cell: ({ batchId }) => (
        <Anchor component={Link} to={`/implementer/cards/${batchId}`}>
          {batchId}
        </Anchor>
      ),
      width: "17rem",
    },
    { key: "count", header: t("implementer.cards.count"), cell: ({ count }) => count, align: "end", width: "6rem" },
    {
      key: "language",
      header: t("implementer.cards.language"),
      cell: ({ language }) => <span lang={language}>{languageNames[language]}</span>,
      width: "9rem",
    },
    {
      key: "made",
      header: t("implementer.cards.made"),
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      width: "11rem",
      wideOnly: true,
    },
  ];
  return (
    <PageFrame
      title={t("nav.implementer.cards")}
      lead={t("implementer.cards.lead")}
      actions={<Button onClick={() => setOpen(true)}>{t("implementer.cards.make")}</Button>}
    >
      <DataTable
        label={t("implementer.cards.batches")}
        empty={t("implementer.cards.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ batchId }) => batchId}
      />
      {isOpen && (
        <Dialog title={t("implementer.cards.make")} onClose={() => setOpen(false)}>
          <ParticipantGate kind="implementer">
            {(implementerDid) => <BatchForm implementerDid={implementerDid} onClose={() => setOpen(false)} />}
          </ParticipantGate>
        </Dialog>
      )}
    </PageFrame>
  );
}

function BatchForm({ implementerDid, onClose }: { implementerDid: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm<{ count: number | string; language: CardLanguage }>({
    initialValues: { count: 100, language: "en" },
  });
  const make = useMutation({
    mutationFn: async ({ count, language }: typeof form.values) => {
      const body = { implementerDid, count: Number(count), language };
      await sendOnce("implementer.cards", JSON.stringify(body), (idempotencyKey) =>
        hearth.post("/v1/card-batches", { body, idempotencyKey }),
      );
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: cardChanges });
      onClose();
    },
  });
  return (
    <Form
      form={form}
      work={make}
      submit={t("implementer.cards.make")}
      canSubmit={Number(form.values.count) > 0}
      onCancel={onClose}
    >
      <NumberInput
        label={t("implementer.cards.count")}
        min={1}
        max={mostCards}
        allowDecimal={false}
        required
        data-autofocus
        {...form.getInputProps("count")}
      />
      <Select
        label={t("implementer.cards.language")}
        description={t("implementer.cards.languageHint")}
        data={cardLanguages.map((value) => ({ value, label: languageNames[value] }))}
        allowDeselect={false}
        {...form.getInputProps("language")}
      />
    </Form>
  );
}
