import { Alert, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { sendPrepared } from "../../session/send-prepared.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { WalletGate } from "../wallet-gate.tsx";
import type { Conversion } from "./conversion.ts";

type ReclaimDialogProps = { conversion: Conversion; implementerDid: string; onClose: () => void };

/** Take the CARBON of an unanswered conversion back, with a transaction of the implementer's own account. */
export function ReclaimDialog({ conversion: { conversionId, amount }, implementerDid, onClose }: ReclaimDialogProps) {
  const { t } = useTranslation();
  const reclaim = useMutation({
    mutationFn: () => sendPrepared({ body: { action: "itmo-reclaim", conversionId } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["implementer"] }),
  });
  return (
    <Dialog title={t("implementer.conversions.reclaim.title", { id: conversionId })} onClose={onClose}>
      {reclaim.isSuccess ? (
        <Alert color="teal" role="status" title={t("implementer.conversions.reclaim.done")}>
          <CodeValue value={reclaim.data.transactionHash} shorten />
        </Alert>
      ) : (
        <WalletGate implementerDid={implementerDid}>
          <ConfirmForm work={reclaim} submit={t("implementer.conversions.reclaim.submit")} onCancel={onClose}>
            <Stack gap="xs">
              <Text size="sm">
                <Amount value={amount} unit="carbon" />
              </Text>
              <Text size="sm">{t("implementer.conversions.reclaim.hint")}</Text>
            </Stack>
          </ConfirmForm>
        </WalletGate>
      )}
    </Dialog>
  );
}
