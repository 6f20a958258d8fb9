import { Alert, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../../session/session.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { useWalletButtons } from "../../show/wallet-buttons.tsx";
import { useCouncilPart } from "./use-council.ts";

/** Connects the wallet with which a member or the guardian signs, and says what its account may do. */
export function WalletBar() {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const part = useCouncilPart();
  const { isNone, buttons } = useWalletButtons();
  if (wallet !== undefined) {
    return (
      <Group gap="xs">
        <Text size="sm">{t(`admin.council.part.${part ?? "none"}`)}</Text>
        <CodeValue value={wallet.address} shorten />
      </Group>
    );
  }
  return (
    <Alert color="gray" title={t("admin.council.connect")}>
      <Text size="sm" mb="sm">
        {t(isNone ? "admin.council.noWallet" : "admin.council.connectHint")}
      </Text>
      {buttons}
    </Alert>
  );
}
