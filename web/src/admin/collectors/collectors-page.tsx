import { Button, Group } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { useParticipants } from "../../participants/use-participant.ts";
import { usePlans } from "../../plans/use-plans.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { isDid } from "../participants/participant-fields.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";
import { CollectorLink } from "./collector-link.tsx";

type Collector = Schemas["Collector"];

const forms = ["household", "device", "kpt", "usage", "delivery"] as const;
const limit = 500;
const changes = ["admin", "collectors"];

/** People who collect with ODK Collect or Enketo: make a link with its QR code and password, make them again, and end them. */
export function CollectorsPage() {
  const { t } = useTranslation();
  const [made, setMade] = useState<Schemas["CreatedCollector"]>();
  const [renewing, setRenewing] = useState<Collector>();
  const rows = useCursorRows({
    queryKey: changes,
    page: (at, signal) => hearth.get("/v1/odk/collectors", { query: at, signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => hearth.delete("/v1/odk/collectors/{id}", { path: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: changes }),
  });
  const columns: Column<Collector>[] = [
    {
      key: "name",
      header: t("people.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "10rem",
    },
    {
      key: "forms",
      header: t("admin.collectors.forms"),
      cell: (row) => row.forms.map((form) => t(`admin.collectors.form.${form}`)).join(", "),
      width: "12rem",
    },
    {
      key: "about",
      header: t("admin.collectors.about"),
      cell: ({ campaignId, planId, supplierDid }) =>
        [campaignId, planId, supplierDid].filter((each) => each !== null).join(", ") || t("common.none"),
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "state",
      header: t("people.state"),
      cell: ({ revokedAt }) => <StateBadge kind="collector" state={revokedAt === null ? "valid" : "revoked"} />,
      width: "7rem",
    },
    {
      key: "made",
      header: t("people.made"),
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      width: "9.5rem",
      wideOnly: true,
    },
    {
      key: "end",
      header: t("people.action"),
      width: "13rem",
      cell: (row) =>
        row.revokedAt === null && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t("admin.collectors.renew")} ${row.name}`}
              onClick={() => setRenewing(row)}
            >
              {t("admin.collectors.renew")}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t("admin.collectors.end")} ${row.name}`}
              onClick={() => revoke.mutate(row.id)}
            >
              {t("admin.collectors.end")}
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <RecordsPage
      title={t("nav.admin.collectors")}
      lead={t("admin.collectors.lead")}
      add={t("admin.collectors.add")}
      dialog={(close) => <CollectorDialog onMade={setMade} onClose={close} />}
    >
      {revoke.isError && <ErrorNotice error={revoke.error} />}
      <DataTable
        label={t("nav.admin.collectors")}
        empty={t("admin.collectors.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {renewing !== undefined && (
        <RenewDialog collector={renewing} onMade={setMade} onClose={() => setRenewing(undefined)} />
      )}
      {made !== undefined && <CollectorLink collector={made} onClose={() => setMade(undefined)} />}
    </RecordsPage>
  );
}

type RenewDialogProps = {
  collector: Pick<Collector, "id" | "name">;
  onMade: (made: Schemas["CreatedCollector"]) => void;
  onClose: () => void;
};

function RenewDialog({ collector: { id, name }, onMade, onClose }: RenewDialogProps) {
  const { t } = useTranslation();
  const renew = useMutation({
    mutationFn: () => hearth.post("/v1/odk/collectors/{id}/reissue", { path: { id } }),
    onSuccess: async (renewed) => {
      await queryClient.invalidateQueries({ queryKey: changes });
      onClose();
      onMade(renewed);
    },
  });
  return (
    <Dialog title={t("admin.collectors.renewTitle", { name })} onClose={onClose}>
      <ConfirmForm work={renew} submit={t("admin.collectors.renew")} onCancel={onClose}>
        {t("admin.collectors.renewHint")}
      </ConfirmForm>
    </Dialog>
  );
}

type CollectorDialogProps = { onMade: (made: Schemas["CreatedCollector"]) => void; onClose: () => void };

function CollectorDialog({ onMade, onClose }: CollectorDialogProps) {
  const { t } = useTranslation();
  const { data: implementers = [] } = useParticipants("implementer", true);
  const { data: suppliers = [] } = useParticipants("supplier", true);
  const { data: campaigns = [] } = useQuery({
    queryKey: ["admin", "campaigns", "all"],
    queryFn: ({ signal }) => hearth.get("/v1/campaigns", { query: { limit }, signal }).then(({ items }) => items),
  });
  const { data: plans = [] } = usePlans();
  const named = (all: readonly { did: string; name: string }[]) =>
    all.map(({ did, name }) => ({ value: did, label: name }));
  return (
    <RecordDialog
      title={t("admin.collectors.add")}
      submit={t("admin.collectors.make")}
      fields={[
        { name: "name", label: t("people.name"), required: true, maxLength: 100, isName: true },
        {
          name: "collectorDid",
          label: t("admin.collectors.did"),
          hint: t("admin.collectors.didHint"),
          placeholder: "did:key:z6Mk…",
          required: true,
          check: (did) => (isDid(did) ? null : t("admin.devices.wrongDid")),
        },
        {
          name: "implementerDid",
          kind: "choice",
          label: t("people.implementer"),
          options: named(implementers),
          required: true,
        },
        {
          name: "forms",
          kind: "choices",
          label: t("admin.collectors.forms"),
          options: forms.map((value) => ({ value, label: t(`admin.collectors.form.${value}`) })),
          required: true,
        },
        {
          name: "campaignId",
          kind: "choice",
          label: t("admin.collectors.campaign"),
          hint: t("admin.collectors.campaignHint"),
          options: campaigns.map(({ campaignId }) => ({ value: campaignId, label: campaignId })),
        },
        {
          name: "planId",
          kind: "choice",
          label: t("admin.devices.plan"),
          hint: t("admin.collectors.planHint"),
          options: plans.map(({ planId }) => ({ value: planId, label: planId })),
        },
        {
          name: "supplierDid",
          kind: "choice",
          label: t("people.supplier"),
          hint: t("admin.collectors.supplierHint"),
          options: named(suppliers),
        },
      ]}
      name="admin.collector"
      body={({ text, given, list }): Schemas["NewCollector"] => {
        const [campaignId, planId, supplierDid] = [given("campaignId"), given("planId"), given("supplierDid")];
        return {
          name: text("name"),
          collectorDid: text("collectorDid"),
          implementerDid: text("implementerDid"),
          forms: list("forms") as Schemas["NewCollector"]["forms"],
          ...(campaignId === undefined ? {} : { campaignId }),
          ...(planId === undefined ? {} : { planId }),
          ...(supplierDid === undefined ? {} : { supplierDid }),
        };
      }}
      send={async (body, idempotencyKey) => onMade(await hearth.post("/v1/odk/collectors", { body, idempotencyKey }))}
      changes={changes}
      onClose={onClose}
    />
  );
}
