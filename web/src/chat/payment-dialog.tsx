import { useContractOracle, useOraclesConfig } from "@hearth/oracles-client-sdk";
import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.ts";
import { Amount } from "../show/amount.tsx";
import { CodeValue } from "../show/code-value.tsx";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { OracleAddress } from "./oracle-provider.tsx";

type PaymentProps = OracleAddress & { claimIds: string[]; onClose: () => void };

/** Says what is owed to the oracle, and lets a wallet pay a deposit. */
export function PaymentDialog({ oracleDid, overrides, claimIds, onClose }: PaymentProps) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const { config } = useOraclesConfig(oracleDid, overrides);
  const { contractOracle } = useContractOracle({ oracleDid, overrides });
  const pay = useMutation({ mutationFn: () => contractOracle(), onSuccess: onClose });
  return (
    <Dialog title={t("chat.payment.title")} onClose={onClose}>
      <Stack>
        <Text>{t("chat.payment.lead")}</Text>
        {config.price !== undefined && (
          <Text size="sm">
            {t("chat.payment.price")} <Amount micro={config.price} unit="stablecoin" />
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t("chat.payment.claims")}
        </Text>
        <List size="sm">
          {claimIds.map((id) => (
            <List.Item key={id}>
              <CodeValue value={id} shorten />
            </List.Item>
          ))}
        </List>
        {wallet === undefined && <Text size="sm">{t("chat.payment.noWallet")}</Text>}
        {pay.error !== null && <ErrorNotice error={pay.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.close")}
          </Button>
          <Button disabled={wallet === undefined} loading={pay.isPending} onClick={() => pay.mutate()}>
            {t("chat.payment.pay")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
