import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { useSession } from "../../session/session.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";

const queryKey = ["regulator", "redemption-terms"];

/** Whether every redemption needs the household's signature or code. The regulator can require it; only the council ends it. */
export function ConsentRule() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isSignedIn = useSession().key !== undefined;
  const role = useSession().key?.holder.role;
  const { data, error, refetch } = useQuery({
    queryKey,
    enabled: isSignedIn,
    queryFn: ({ signal }) => hearth.get("/v1/redemption-terms", { signal }),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { consentRequired } = data;
  return (
    <Alert color={consentRequired ? "teal" : "gray"} title={t("regulator.consentRule.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(consentRequired ? "regulator.consentRule.required" : "regulator.consentRule.open")}</Text>
        {!consentRequired && (role === "regulator" || role === "admin") && (
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {t("regulator.consentRule.require")}
          </Button>
        )}
      </Stack>
      {isOpen && <RequireDialog onClose={() => setOpen(false)} />}
    </Alert>
  );
}

function RequireDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const require = useMutation({
    mutationFn: () => hearth.patch("/v1/redemption-terms", { body: { consentRequired: true } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Dialog title={t("regulator.consentRule.title")} onClose={onClose}>
      <ConfirmForm work={require} submit={t("regulator.consentRule.require")} onCancel={onClose}>
        <Text size="sm">{t("regulator.consentRule.hint")}</Text>
      </ConfirmForm>
    </Dialog>
  );
}
