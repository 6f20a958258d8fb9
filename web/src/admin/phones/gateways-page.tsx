import { Button, Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { languageNames } from "../../i18n/languages.ts";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { type Field, RecordDialog } from "../records/record-dialog.tsx";
import { RecordsPage } from "../records/records-page.tsx";
import { type GatewayKind, gatewayKinds, type Setting, settingsOf, smsOf, urlsOf } from "./gateway-fields.ts";
import { GatewayUrls } from "./gateway-urls.tsx";

type Gateway = Schemas["PhoneGateway"];

type PhoneLanguage = Schemas["PhoneGateway"]["language"];

const phoneLanguages = Object.keys(languageNames) as PhoneLanguage[];
const changes = ["admin", "phone-gateways"];

/** Gateways to the mobile network: make one with its URLs, and end one. */
export function GatewaysPage() {
  const { t } = useTranslation();
  const [made, setMade] = useState<Schemas["CreatedPhoneGateway"]>();
  const [ending, setEnding] = useState<Gateway>();
  const rows = useCursorRows<Gateway>({
    queryKey: changes,
    page: async (_, signal) => ({ ...(await hearth.get("/v1/phones/gateways", { signal })), nextCursor: null }),
  });
  const columns: Column<Gateway>[] = [
    {
      key: "kind",
      header: t("admin.gateways.kind"),
      cell: ({ kind }) => t(`admin.gateways.kinds.${kind}`),
      width: "11rem",
    },
    {
      key: "state",
      header: t("people.state"),
      cell: ({ revokedAt }) => <StateBadge kind="collector" state={revokedAt === null ? "valid" : "revoked"} />,
      width: "7rem",
    },
    {
      key: "sources",
      header: t("admin.gateways.sources"),
      cell: ({ sources }) => sources.join(", ") || t("admin.gateways.anywhere"),
      width: "12rem",
      wideOnly: true,
    },
    { key: "made", header: t("people.made"), cell: ({ createdAt }) => <Moment at={createdAt} />, width: "10rem" },
    {
      key: "end",
      header: t("people.action"),
      width: "7rem",
      cell: (row) =>
        row.revokedAt === null && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t("admin.gateways.end")} ${t(`admin.gateways.kinds.${row.kind}`)} ${row.id}`}
            onClick={() => setEnding(row)}
          >
            {t("admin.gateways.end")}
          </Button>
        ),
    },
  ];
  return (
    <RecordsPage
      title={t("nav.admin.gateways")}
      lead={t("admin.gateways.lead")}
      add={t("admin.gateways.add")}
      dialog={(close) => <GatewayDialog onMade={setMade} onClose={close} />}
    >
      <DataTable
        label={t("nav.admin.gateways")}
        empty={t("admin.gateways.empty")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {made !== undefined && urlsOf[made.kind].length > 0 && (
        <GatewayUrls gateway={made} onClose={() => setMade(undefined)} />
      )}
      {ending !== undefined && <EndDialog id={ending.id} onClose={() => setEnding(undefined)} />}
    </RecordsPage>
  );
}

type GatewayDialogProps = { onMade: (made: Schemas["CreatedPhoneGateway"]) => void; onClose: () => void };

function GatewayDialog({ onMade, onClose }: GatewayDialogProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<GatewayKind>("africas-talking");
  return (
    <RecordDialog
      key={kind}
      title={t("admin.gateways.add")}
      submit={t("admin.gateways.make")}
      lead={
        <Select
          label={t("admin.gateways.kind")}
          data={gatewayKinds.map((value) => ({ value, label: t(`admin.gateways.kinds.${value}`) }))}
          value={kind}
          onChange={(chosen) => setKind((chosen ?? kind) as GatewayKind)}
          allowDeselect={false}
        />
      }
      fields={[
        { name: "name", label: t("people.name"), required: true, maxLength: 100, isName: true },
        ...settingsOf[kind].map(fieldOf),
        ...(urlsOf[kind].includes("ussdUrl")
          ? [
              {
                name: "language",
                kind: "choice" as const,
                label: t("admin.gateways.language"),
                options: phoneLanguages.map((value) => ({ value, label: languageNames[value] })),
                initial: "en",
              },
            ]
          : []),
        ...(urlsOf[kind].length === 0
          ? []
          : [
              {
                name: "sources",
                kind: "list" as const,
                label: t("admin.gateways.sources"),
                hint: t("admin.gateways.sourcesHint"),
              },
            ]),
      ]}
      name="admin.phone-gateway"
      body={(entered): Schemas["NewPhoneGateway"] => ({
        name: entered.text("name"),
        sms: smsOf(kind, entered),
        sources: urlsOf[kind].length === 0 ? [] : entered.list("sources"),
        ...(urlsOf[kind].includes("ussdUrl") ? { language: entered.text("language") as PhoneLanguage } : {}),
      })}
      send={async (body, idempotencyKey) => onMade(await hearth.post("/v1/phones/gateways", { body, idempotencyKey }))}
      changes={changes}
      onClose={onClose}
    />
  );

  function fieldOf({ name, label, hint, placeholder, required, isSecret, isSwitch }: Setting): Field {
    const field = {
      name,
      label: t(label),
      required,
      ...(hint === undefined ? {} : { hint: t(hint) }),
      ...(placeholder === undefined ? {} : { placeholder }),
    };
    if (isSwitch === true) return { ...field, kind: "switch" };
    if (isSecret === true) return { ...field, kind: "secret" };
    return name === "perSecond" ? { ...field, kind: "number", initial: "10", check: checkRate } : field;
  }

  function checkRate(text: string): string | null {
    return /^\d{1,3}$|^1000$/.test(text) && Number(text) > 0 ? null : t("admin.gateways.wrongRate");
  }
}

function EndDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const end = useMutation({
    mutationFn: () => hearth.delete("/v1/phones/gateways/{id}", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: changes });
      onClose();
    },
  });
  return (
    <Dialog title={t("admin.gateways.endTitle")} onClose={onClose}>
      <ConfirmForm work={end} submit={t("admin.gateways.end")} onCancel={onClose}>
        {t("admin.gateways.endHint")}
      </ConfirmForm>
    </Dialog>
  );
}
