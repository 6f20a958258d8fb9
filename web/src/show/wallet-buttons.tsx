import { Button, Group } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { connectWallet, findWallets } from "../session/wallet.ts";
import { ErrorNotice } from "./error-notice.tsx";

/** Buttons that connect one of the browser's wallets; `isNone`: the browser has none. */
export function useWalletButtons(): { isNone: boolean; buttons: ReactNode } {
  const { t } = useTranslation();
  const wallets = useQuery({ queryKey: ["shell", "wallets"], queryFn: findWallets, staleTime: 0 });
  const connect = useMutation({ mutationFn: connectWallet });
  const buttons = (
    <>
      <Group>
        {wallets.data?.map((each) => (
          <Button key={each.id} variant="default" loading={connect.isPending} onClick={() => connect.mutate(each)}>
            {t("shell.wallet.connect", { name: each.name })}
          </Button>
        ))}
      </Group>
      {connect.isError && <ErrorNotice error={connect.error} />}
    </>
  );
  return { isNone: wallets.data?.length === 0, buttons };
}
