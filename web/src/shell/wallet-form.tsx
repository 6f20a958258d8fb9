import { Button, Image, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { connectWallet, findWallets } from "../session/wallet.ts";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Sign in with a wallet of the browser. */
export function WalletForm() {
  const { t } = useTranslation();
  const wallets = useQuery({ queryKey: ["shell", "wallets"], queryFn: findWallets, staleTime: 0 });
  const connect = useMutation({ mutationFn: connectWallet });
  return (
    <Stack>
      <Text size="sm">{t("shell.signIn.walletHint")}</Text>
      {wallets.data?.length === 0 && <Text c="dimmed">{t("shell.signIn.noWallet")}</Text>}
      {wallets.data?.map((wallet) => (
        <Button
          key={wallet.name}
          variant="default"
          loading={connect.isPending}
          leftSection={wallet.icon?.startsWith("data:image/") && <Image src={wallet.icon} alt="" w={20} h={20} />}
          onClick={() => connect.mutate(wallet)}
        >
          {t("shell.signIn.wallet", { name: wallet.name })}
        </Button>
      ))}
      {connect.isError && <ErrorNotice error={connect.error} />}
    </Stack>
  );
}
