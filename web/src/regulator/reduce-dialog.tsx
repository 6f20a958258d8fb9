import { NumberInput, SegmentedControl, Select, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { Form } from "../forms/form.tsx";
import { Dialog } from "../show/dialog.tsx";
import { type ItmoPurpose, itmoPurposes } from "./itmo-purposes.ts";

type Values = {
  kind: "reduction" | "revocation";
  purpose: ItmoPurpose | null;
  quantity: number | string;
  reason: string;
};

/** Announce that an authorization is reduced or revoked for units that were not first transferred. */
export function ReduceDialog({ authorizationId, onClose }: { authorizationId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm<Values>({ initialValues: { kind: "reduction", purpose: null, quantity: "", reason: "" } });
  const { kind, purpose, quantity, reason } = form.values;
  const announce = useMutation({
    mutationFn: async (values: Values) => {
      const path = { authorizationId };
      if (values.kind === "revocation") {
        const body = { reason: values.reason.trim() };
        return await hearth.post("/v1/itmo/authorizations/{authorizationId}/revocation", { path, body });
      }
      const body = {
        reason: values.reason.trim(),
        ...(values.purpose === null ? {} : { purpose: values.purpose }),
        ...(values.quantity === "" ? {} : { authorizedQuantity: Number(values.quantity) }),
      };
      return await hearth.post("/v1/itmo/authorizations/{authorizationId}/reductions", { path, body });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["index"] });
      onClose();
    },
  });
  const isComplete = reason.trim() !== "" && (kind === "revocation" || purpose !== null || quantity !== "");
  return (
    <Dialog title={t("regulator.reduce.title", { id: authorizationId })} onClose={onClose}>
      <Form
        form={form}
        work={announce}
        submit={t(`regulator.reduce.submit.${kind}`)}
        color="red"
        canSubmit={isComplete}
        onCancel={onClose}
      >
        <Text size="sm">{t("regulator.reduce.lead")}</Text>
        <SegmentedControl
          aria-label={t("regulator.reduce.kind")}
          data={(["reduction", "revocation"] as const).map((value) => ({
            value,
            label: t(`state.authorizationChange.${value}`),
          }))}
          {...form.getInputProps("kind")}
        />
        {kind === "reduction" && (
          <>
            <Select
              label={t("regulator.reduce.purpose")}
              description={t("regulator.reduce.unchanged")}
              data={[...itmoPurposes]}
              clearable
              {...form.getInputProps("purpose")}
            />
            <NumberInput
              label={t("regulator.reduce.quantity")}
              description={t("regulator.reduce.quantityHint")}
              min={0}
              allowDecimal={false}
              {...form.getInputProps("quantity")}
            />
          </>
        )}
        <Textarea
          label={t("regulator.itmos.reason")}
          description={t("regulator.reduce.reasonHint")}
          required
          maxLength={500}
          autosize
          minRows={2}
          {...form.getInputProps("reason")}
        />
      </Form>
    </Dialog>
  );
}
