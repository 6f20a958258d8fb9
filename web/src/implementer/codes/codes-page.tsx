import { ActionIcon, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { saveFile } from "../../regulator/save-file.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { languageNames } from "../cards/languages.ts";

type CodeSet = Schemas["CodeSet"];
const queryKey = ["implementer", "code-sets"];

/** Sets of one-time codes: print the households' papers, then delete the codes. */
export function CodesPage() {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<CodeSet>();
  const rows = useCursorRows<CodeSet>({
    queryKey,
    page: (at, signal) => hearth.get("/v1/code-sets", { query: at, signal }),
  });
  const columns: Column<CodeSet>[] = [
    { key: "batch", header: t("implementer.codes.batch"), cell: ({ batchId }) => batchId, width: "14rem" },
    {
      key: "count",
      header: t("implementer.codes.count"),
      cell: ({ codesPerVoucher }) => codesPerVoucher,
      align: "end",
      width: "7rem",
      wideOnly: true,
    },
    {
      key: "language",
      header: t("implementer.codes.language"),
      cell: ({ language }) => <span lang={language}>{languageNames[language]}</span>,
      width: "8rem",
      wideOnly: true,
    },
    {
      key: "made",
      header: t("implementer.codes.made"),
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      width: "11rem",
      wideOnly: true,
    },
    {
      key: "papers",
      header: t("implementer.codes.papers"),
      cell: (set) => <SetActions set={set} onForget={() => setAsked(set)} />,
      width: "8rem",
    },
  ];
  return (
    <PageFrame title={t("nav.implementer.codes")} lead={t("implementer.codes.lead")}>
      <DataTable
        label={t("implementer.codes.sets")}
        empty={t("implementer.codes.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ codeSetId }) => codeSetId}
      />
      {asked !== undefined && <ForgetDialog set={asked} onClose={() => setAsked(undefined)} />}
    </PageFrame>
  );
}

function SetActions({ set: { codeSetId, batchId, isPrintable }, onForget }: { set: CodeSet; onForget: () => void }) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: () =>
      saveFile(
        hearth.raw("get", "/v1/code-sets/{codeSetId}/sheets", { path: { codeSetId } }),
        `codes ${codeSetId}.pdf`,
      ),
  });
  if (!isPrintable) return <Badge color="gray">{t("implementer.codes.forgotten")}</Badge>;
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          size="lg"
          variant="default"
          aria-label={t("implementer.codes.print", { batch: batchId })}
          title={t("implementer.codes.print", { batch: batchId })}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          <IconDownload size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon
          size="lg"
          variant="subtle"
          color="red"
          aria-label={t("implementer.codes.forget", { batch: batchId })}
          title={t("implementer.codes.forget", { batch: batchId })}
          onClick={onForget}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      </Group>
      {save.isError && <ErrorNotice error={save.error} />}
    </Stack>
  );
}

function ForgetDialog({ set: { codeSetId, batchId }, onClose }: { set: CodeSet; onClose: () => void }) {
  const { t } = useTranslation();
  const forget = useMutation({
    mutationFn: () => hearth.post("/v1/code-sets/{codeSetId}/forget", { path: { codeSetId } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Dialog title={t("implementer.codes.askTitle")} onClose={onClose}>
      <Stack>
        <Text fw={600}>{batchId}</Text>
        <Text size="sm">{t("implementer.codes.askHint")}</Text>
        {forget.isError && <ErrorNotice error={forget.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button color="red" loading={forget.isPending} onClick={() => forget.mutate()}>
            {t("implementer.codes.confirm")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
