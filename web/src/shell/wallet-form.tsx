import { Alert, Anchor, Button, Image, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type FoundWallet, findWallets } from "../session/wallet.ts";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Sign in with a browser wallet: its account signs, and the session gets the account's roles on chain. */
export function WalletForm() {
  const { t } = useTranslation();
  const wallets = useQuery({ queryKey: ["shell", "wallets"], queryFn: findWallets, staleTime: 0 });
  const signIn = useMutation({
    mutationFn: async (wallet: FoundWallet) => {
      const { signInWithWallet } = await import("../session/wallet-session.ts");
      await signInWithWallet(wallet, t("shell.signIn.statement"));
    },
  });
  return (
    <Stack>
      <Text size="sm">{t("shell.signIn.walletHint")}</Text>
      {wallets.data?.length === 0 && <NoWallet onLook={() => void wallets.refetch()} />}
      {wallets.data?.map((wallet) => (
        <Button
          key={wallet.id}
          variant="default"
          size="md"
          loading={signIn.isPending && signIn.variables.id === wallet.id}
          disabled={signIn.isPending}
          leftSection={wallet.icon?.startsWith("data:image/") && <Image src={wallet.icon} alt="" w={20} h={20} />}
          onClick={() => signIn.mutate(wallet)}
        >
          {t("shell.signIn.wallet", { name: wallet.name })}
        </Button>
      ))}
      {signIn.isPending && (
        <Text size="sm" role="status">
          {t("shell.signIn.walletAsks")}
        </Text>
      )}
      {signIn.isError && <ErrorNotice error={signIn.error} />}
    </Stack>
  );
}

function NoWallet({ onLook }: { onLook: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert color="gray" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t("shell.signIn.noWallet")}</Text>
        <Anchor component="button" type="button" size="sm" onClick={onLook}>
          {t("shell.signIn.lookAgain")}
        </Anchor>
      </Stack>
    </Alert>
  );
}
