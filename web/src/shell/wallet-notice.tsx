import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { switchChain, walletProvider } from "../session/wallet.ts";
import { useWalletState } from "../session/watch-wallet.ts";
import { useErrorText } from "../show/error-notice.tsx";

/** Shows why the session's wallet cannot sign: wrong network, no connection, or a lost role. */
export function WalletNotice() {
  const { t } = useTranslation();
  const { wallet, key } = useSession();
  const { chainId, isConnected } = useWalletState();
  const own = useQuery({
    queryKey: ["shell", "chain"],
    enabled: wallet !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => (await hearth.get("/oracle", { signal })).chain.chainId,
  });
  const { standing } = key ?? {};
  useQuery({
    queryKey: ["shell", "standing"],
    enabled: standing !== undefined,
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
    queryFn: async ({ signal }) => (await import("../session/wallet-session.ts")).refreshStanding(signal),
  });
  if (wallet === undefined) return null;
  return (
    <>
      {standing?.inForce === false && (
        <Alert color="orange" mb="md" role="status">
          {t("shell.wallet.lost", { role: t(`shell.standing.${standing.actsAs}`) })}
        </Alert>
      )}
      {!isConnected && (
        <Alert color="orange" mb="md" role="status">
          {t("shell.wallet.disconnected", { name: wallet.name })}
        </Alert>
      )}
      {isConnected && own.data !== undefined && chainId !== undefined && chainId !== own.data && (
        <OtherChain chainId={own.data} />
      )}
    </>
  );
}

function OtherChain({ chainId }: { chainId: number }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const change = useMutation({ mutationFn: async () => switchChain(await walletProvider(), chainId) });
  return (
    <Alert color="orange" mb="md" role="status">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{change.isError ? errorText(change.error) : t("shell.wallet.otherChain", { chainId })}</Text>
        <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate()}>
          {t("shell.wallet.changeChain")}
        </Button>
      </Group>
    </Alert>
  );
}
