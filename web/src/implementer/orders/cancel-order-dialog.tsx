import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { sendPrepared } from "../../session/send-prepared.ts";
import { Dialog } from "../../show/dialog.tsx";
import { WalletGate } from "../wallet-gate.tsx";
import type { OrderCancellation } from "./use-order.ts";

type CancelOrderDialogProps = {
  cancellation: OrderCancellation;
  onCancelled: (transactionHash: string) => void;
  onClose: () => void;
};

/** Cancel a signed order with a transaction of the implementer's own account, so that nobody can have it carried out. */
export function CancelOrderDialog({ cancellation, onCancelled, onClose }: CancelOrderDialogProps) {
  const { t } = useTranslation();
  const cancel = useMutation({
    mutationFn: () => sendPrepared({ body: cancellation }),
    onSuccess: ({ transactionHash }) => onCancelled(transactionHash),
  });
  return (
    <Dialog title={t("implementer.order.cancel.title")} onClose={onClose}>
      <WalletGate implementerDid={cancellation.implementerDid}>
        <ConfirmForm work={cancel} submit={t("implementer.order.cancel.submit")} onCancel={onClose}>
          <Text size="sm">{t("implementer.order.cancel.hint")}</Text>
        </ConfirmForm>
      </WalletGate>
    </Dialog>
  );
}
