import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useParticipants } from "../../participants/use-participant.ts";
import { usePlans } from "../../plans/use-plans.ts";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { isDid } from "../participants/participant-fields.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";
import { KoboConnection } from "./kobo-connection.tsx";
import { KoboMapping } from "./kobo-mapping.tsx";
import { type Connection, changes } from "./kobo-queries.ts";

const forms = ["household", "device", "kpt", "usage", "delivery"] as const;
const limit = 500;
type Shown = { connection: Connection; view: "connection" | "mapping" };

/** KoboToolbox projects whose records come to Hearth: connect one, map its questions, read old records, and end it. */
export function KoboPage() {
  const { t } = useTranslation();
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  const rows = useCursorRows({
    queryKey: changes,
    page: (at, signal) => hearth.get("/v1/kobo/connections", { query: at, signal }),
  });
  const columns: Column<Connection>[] = [
    {
      key: "name",
      header: t("people.name"),
      cell: ({ name }) => <span translate="no">{name}</span>,
      width: "11rem",
    },
    {
      key: "project",
      header: t("admin.kobo.project"),
      cell: ({ serverUrl, assetUid }) => `${assetUid} (${new URL(serverUrl).host})`,
      width: "16rem",
      wideOnly: true,
    },
    {
      key: "form",
      header: t("admin.kobo.form"),
      cell: ({ form }) => t(`admin.collectors.form.${form}`),
      width: "9rem",
    },
    {
      key: "state",
      header: t("people.state"),
      cell: ({ revokedAt }) => <StateBadge kind="collector" state={revokedAt === null ? "valid" : "revoked"} />,
      width: "7rem",
    },
    {
      key: "open",
      header: t("people.action"),
      width: "7rem",
      cell: (connection) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t("admin.kobo.open")} ${connection.name}`}
          onClick={() => setShown({ connection, view: "connection" })}
        >
          {t("admin.kobo.open")}
        </Button>
      ),
    },
  ];
  return (
    <RecordsPage
      title={t("nav.admin.kobo")}
      lead={t("admin.kobo.lead")}
      add={t("admin.kobo.add")}
      dialog={(end) => (
        <NewConnection onMade={(connection) => setShown({ connection, view: "mapping" })} onClose={end} />
      )}
    >
      <DataTable
        label={t("nav.admin.kobo")}
        empty={t("admin.kobo.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {shown?.view === "connection" && (
        <KoboConnection
          connection={shown.connection}
          onMap={() => setShown({ ...shown, view: "mapping" })}
          onClose={close}
        />
      )}
      {shown?.view === "mapping" && <KoboMapping connection={shown.connection} onClose={close} />}
    </RecordsPage>
  );
}

function NewConnection({ onMade, onClose }: { onMade: (made: Connection) => void; onClose: () => void }) {
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
      title={t("admin.kobo.add")}
      submit={t("admin.kobo.connect")}
      lead={t("admin.kobo.addHint")}
      fields={[
        { name: "name", label: t("people.name"), required: true, maxLength: 100, isName: true },
        {
          name: "serverUrl",
          label: t("admin.kobo.server"),
          placeholder: "https://eu.kobotoolbox.org",
          required: true,
          check: (url) => (URL.canParse(url) ? null : t("admin.kobo.wrongServer")),
        },
        {
          name: "assetUid",
          label: t("admin.kobo.assetUid"),
          hint: t("admin.kobo.assetUidHint"),
          required: true,
          maxLength: 64,
        },
        {
          name: "token",
          kind: "secret",
          label: t("admin.kobo.token"),
          hint: t("admin.kobo.tokenHint"),
          required: true,
          maxLength: 200,
        },
        {
          name: "form",
          kind: "choice",
          label: t("admin.kobo.form"),
          options: forms.map((value) => ({ value, label: t(`admin.collectors.form.${value}`) })),
          required: true,
        },
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
      name="admin.kobo"
      body={({ text, given }): Schemas["NewKoboConnection"] => {
        const [campaignId, planId, supplierDid] = [given("campaignId"), given("planId"), given("supplierDid")];
        return {
          name: text("name"),
          serverUrl: text("serverUrl"),
          assetUid: text("assetUid"),
          token: text("token"),
          form: text("form") as Schemas["NewKoboConnection"]["form"],
          // Chosen afterwards, when Kobo has named its questions.
          mapping: [],
          collectorDid: text("collectorDid"),
          implementerDid: text("implementerDid"),
          ...(campaignId === undefined ? {} : { campaignId }),
          ...(planId === undefined ? {} : { planId }),
          ...(supplierDid === undefined ? {} : { supplierDid }),
        };
      }}
      send={async (body, idempotencyKey) => onMade(await hearth.post("/v1/kobo/connections", { body, idempotencyKey }))}
      changes={changes}
      onClose={onClose}
    />
  );
}
