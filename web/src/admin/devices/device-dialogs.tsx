import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { today } from "../../implementer/days.ts";
import { isDid } from "../participants/participant-fields.ts";
import { RecordDialog } from "../records/record-dialog.tsx";

type DeviceDialogProps = {
  planId: string | undefined;
  plans: readonly Pick<Schemas["MonitoringPlan"], "planId">[];
  onClose: () => void;
};

/** Register an installed device. */
export function DeviceDialog({ planId, plans, onClose }: DeviceDialogProps) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("devices.register")}
      fields={[
        { name: "serial", label: t("devices.serial"), required: true, maxLength: 64 },
        { name: "model", label: t("devices.model"), required: true, maxLength: 128 },
        {
          name: "planId",
          kind: "choice",
          label: t("devices.plan"),
          options: plans.map((plan) => ({ value: plan.planId, label: plan.planId })),
          ...(planId === undefined ? {} : { initial: planId }),
          required: true,
        },
        {
          name: "householdDid",
          label: t("devices.household"),
          placeholder: "did:ixo:household/123",
          required: true,
          check: (did) => (isDid(did) ? null : t("admin.devices.wrongDid")),
        },
        { name: "installedOn", kind: "date", label: t("devices.installed"), initial: today(), required: true },
      ]}
      name="admin.register.device"
      body={({ text }) => ({
        serial: text("serial"),
        model: text("model"),
        planId: text("planId"),
        householdDid: text("householdDid"),
        installedOn: text("installedOn"),
      })}
      send={(body, idempotencyKey) => hearth.post("/v1/devices", { body, idempotencyKey })}
      changes={["devices"]}
      onClose={onClose}
    />
  );
}

/** Retire a device, which then no longer counts. */
export function RetireDialog({ serial, onClose }: { serial: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("devices.retireTitle", { serial })}
      submit={t("devices.retire")}
      fields={[
        {
          name: "retiredOn",
          kind: "date",
          label: t("devices.retiredOn"),
          hint: t("devices.retiredHint"),
          initial: today(),
          required: true,
        },
      ]}
      name="admin.retire.device"
      body={({ text }) => ({ retiredOn: text("retiredOn") })}
      send={(body, idempotencyKey) => hearth.patch("/v1/devices/{serial}", { path: { serial }, body, idempotencyKey })}
      changes={["devices"]}
      onClose={onClose}
    />
  );
}
