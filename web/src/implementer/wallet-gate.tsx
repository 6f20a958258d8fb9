import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useParticipant } from "../participants/use-participant.ts";
import { useSession } from "../session/session.ts";
import { connectWallet, findWallets } from "../session/wallet.ts";
import { CodeValue } from "../show/code-value.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Show its content when the connected wallet has the implementer's account; else ask to connect it. */
export function WalletGate({ implementerDid, children }: { implementerDid: string; children: ReactNode }) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const implementer = useParticipant("implementer", implementerDid);
  const wallets = useQuery({ queryKey: ["shell", "wallets"], queryFn: findWallets, staleTime: 0 });
  const connect = useMutation({ mutationFn: connectWallet });
  const account = implementer.data?.account;
  const isHolder = account !== undefined && wallet?.address.toLowerCase() === account.toLowerCase();
  if (isHolder) return children;
  return (
    <Alert color="gray" title={t("implementer.wallet.title")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t("implementer.wallet.hint")}</Text>
        {account !== undefined && <CodeValue value={account} />}
        {wallet !== undefined && <Text size="sm">{t("implementer.wallet.other", { account: wallet.address })}</Text>}
        {wallets.data?.length === 0 && <Text size="sm">{t("implementer.wallet.none")}</Text>}
        <Group>
          {wallets.data?.map((each) => (
            <Button key={each.id} variant="default" loading={connect.isPending} onClick={() => connect.mutate(each)}>
              {t("shell.wallet.connect", { name: each.name })}
            </Button>
          ))}
        </Group>
        {connect.isError && <ErrorNotice error={connect.error} />}
      </Stack>
    </Alert>
  );
}
