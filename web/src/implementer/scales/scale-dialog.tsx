import { useTranslation } from "react-i18next";
import { absoluteUri } from "../../../../wire/src/absolute-uri.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { RecordDialog } from "../../admin/records/record-dialog.tsx";
import { hearth } from "../../api/client.ts";

type ScaleDialogProps = {
  planId: string;
  plans: readonly Pick<Schemas["MonitoringPlan"], "planId">[];
  onClose: () => void;
};

/** Record the calibration of a scale, which cannot be changed. */
export function ScaleDialog({ planId, plans, onClose }: ScaleDialogProps) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("devices.scale.record")}
      fields={[
        { name: "serial", label: t("devices.serial"), required: true, maxLength: 64 },
        {
          name: "planId",
          kind: "choice",
          label: t("devices.plan"),
          options: plans.map((plan) => ({ value: plan.planId, label: plan.planId })),
          initial: planId,
          required: true,
        },
        { name: "calibratedOn", kind: "date", label: t("devices.scale.calibratedOn"), required: true },
        {
          name: "validUntil",
          kind: "date",
          label: t("devices.scale.validUntil"),
          required: true,
          check: (day, { calibratedOn = "" }) => (day < calibratedOn ? t("devices.scale.reversed") : null),
        },
        {
          name: "certificate",
          label: t("devices.scale.certificate"),
          hint: t("devices.scale.certificateHint"),
          placeholder: "https://…",
          required: true,
          maxLength: 2048,
          check: (text) => (absoluteUri.test(text) ? null : t("devices.scale.noLink")),
        },
        {
          name: "sha256",
          label: t("devices.scale.sha256"),
          hint: t("devices.scale.sha256Hint"),
          maxLength: 64,
          check: (text) => (text === "" || /^[0-9a-f]{64}$/.test(text) ? null : t("devices.scale.noHash")),
        },
      ]}
      name="implementer.record.calibration"
      body={({ text, given }) => {
        const sha256 = given("sha256");
        return {
          serial: text("serial"),
          planId: text("planId"),
          calibratedOn: text("calibratedOn"),
          validUntil: text("validUntil"),
          certificate: text("certificate"),
          ...(sha256 === undefined ? {} : { sha256 }),
        };
      }}
      send={(body, idempotencyKey) => hearth.post("/v1/scales", { body, idempotencyKey })}
      changes={["scales"]}
      onClose={onClose}
    />
  );
}
