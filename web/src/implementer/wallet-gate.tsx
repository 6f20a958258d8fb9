import { Alert, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useParticipant } from "../participants/use-participant.ts";
import { useSession } from "../session/session.ts";
import { CodeValue } from "../show/code-value.tsx";
import { useWalletButtons } from "../show/wallet-buttons.tsx";

/** Show its content when the connected wallet has the implementer's account; else ask to connect it. */
export function WalletGate({ implementerDid, children }: { implementerDid: string; children: ReactNode }) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const implementer = useParticipant("implementer", implementerDid);
  const { isNone, buttons } = useWalletButtons();
  const account = implementer.data?.account;
  const isHolder = account !== undefined && wallet?.address.toLowerCase() === account.toLowerCase();
  if (isHolder) return children;
  return (
    <Alert color="gray" title={t("implementer.wallet.title")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t("implementer.wallet.hint")}</Text>
        {account !== undefined && <CodeValue value={account} />}
        {wallet !== undefined && <Text size="sm">{t("implementer.wallet.other", { account: wallet.address })}</Text>}
        {isNone && <Text size="sm">{t("implementer.wallet.none")}</Text>}
        {buttons}
      </Stack>
    </Alert>
  );
}
