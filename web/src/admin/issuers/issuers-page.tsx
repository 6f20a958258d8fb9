import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { isDid } from "../participants/participant-fields.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";

type Issuer = Schemas["Issuer"];

const types = ["EmissionReductionCredential", "ProductDeliveryCredential"];

/** Trust issuers of credentials, and end the trust. */
export function IssuersPage() {
  const { t } = useTranslation();
  return (
    <RecordsPage
      title={t("nav.admin.issuers")}
      lead={t("admin.issuers.lead")}
      add={t("admin.issuers.trust")}
      dialog={(close) => <TrustDialog onClose={close} />}
    >
      <Issuers />
    </RecordsPage>
  );
}

function TrustDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.issuers.trust")}
      submit={t("admin.issuers.submit")}
      fields={[
        {
          name: "did",
          label: t("admin.participants.did"),
          hint: t("admin.issuers.didHint"),
          placeholder: "did:key:z6Mk…",
          required: true,
          check: (did) => (isDid(did) ? null : t("admin.issuers.wrongDid")),
        },
        {
          name: "credentialTypes",
          kind: "list",
          label: t("admin.issuers.types"),
          hint: t("admin.issuers.typesHint", { types: types.join(", ") }),
          initial: ["ProductDeliveryCredential"],
          required: true,
        },
        { name: "validFrom", kind: "date", label: t("admin.issuers.from"), more: true },
        { name: "validUntil", kind: "date", label: t("admin.issuers.until"), more: true },
      ]}
      name="admin.trust.issuer"
      body={({ text, given, list }) => ({
        did: text("did"),
        credentialTypes: list("credentialTypes"),
        ...(given("validFrom") === undefined ? {} : { validFrom: `${text("validFrom")}T00:00:00Z` }),
        ...(given("validUntil") === undefined ? {} : { validUntil: `${text("validUntil")}T23:59:59Z` }),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/issuers", { body, idempotencyKey })}
      changes={["admin", "issuers"]}
      onClose={onClose}
    />
  );
}

function Issuers() {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Issuer>();
  const rows = useCursorRows<Issuer>({
    queryKey: ["admin", "issuers"],
    page: (at, signal) => hearth.get("/v1/issuers", { query: at, signal }),
  });
  const columns: Column<Issuer>[] = [
    { key: "did", header: t("admin.participants.did"), cell: ({ did }) => did, width: "16rem" },
    {
      key: "types",
      header: t("admin.issuers.types"),
      cell: (row) => <span translate="no">{row.credentialTypes.join(", ")}</span>,
      width: "14rem",
      wideOnly: true,
    },
    {
      key: "status",
      header: t("people.state"),
      cell: ({ status }) => <StateBadge kind="issuer" state={status} />,
      width: "8rem",
    },
    {
      key: "until",
      header: t("people.until"),
      cell: ({ validUntil }) => (validUntil === null ? t("common.none") : <Moment at={validUntil} />),
      width: "10rem",
      wideOnly: true,
    },
    {
      key: "action",
      header: t("people.action"),
      width: "8rem",
      cell: (row) =>
        row.status !== "ended" && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("admin.issuers.end")} ${row.did}`}
            onClick={() => setChosen(row)}
          >
            {t("admin.issuers.end")}
          </Button>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={t("nav.admin.issuers")}
        empty={t("admin.issuers.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ did }) => did}
      />
      {chosen !== undefined && <EndDialog did={chosen.did} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function EndDialog({ did, onClose }: { did: string; onClose: () => void }) {
  const { t } = useTranslation();
  const end = useMutation({
    mutationFn: () => hearth.delete("/v1/issuers/{did}", { path: { did } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin", "issuers"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("admin.issuers.endTitle", { did })} onClose={onClose}>
      <ConfirmForm work={end} submit={t("admin.issuers.end")} onCancel={onClose}>
        {t("admin.issuers.endHint")}
      </ConfirmForm>
    </Dialog>
  );
}
