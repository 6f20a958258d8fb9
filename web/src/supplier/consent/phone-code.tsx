import { Alert, Button, Stack, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { IconDeviceMobileMessage } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { PhoneRefusal } from "./phone-refusal.tsx";

/** Sends the household's next code to its phone. This device gets no code: the household tells it if it agrees. */
export function PhoneCode({ voucherId, supplierDid }: { voucherId: string; supplierDid: string }) {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const send = useMutation({
    networkMode: "always",
    mutationFn: () => hearth.post("/v1/phones/codes", { body: { voucherId, supplierDid } }),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDeviceMobileMessage size={16} aria-hidden />}
        disabled={!online}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {t(send.isSuccess ? "supplier.phone.codeAgain" : "supplier.phone.code")}
      </Button>
      {!online && <Text size="xs">{t("supplier.phone.codeOffline")}</Text>}
      {/* Rendered from the start, so that screen readers announce later changes. */}
      <div role="status">
        {send.isSuccess && (
          <Alert color="teal" role="group">
            {t("supplier.phone.codeSent")} <Moment at={send.data.sentAt} />
          </Alert>
        )}
      </div>
      {send.isError && <PhoneRefusal error={send.error} />}
    </Stack>
  );
}
