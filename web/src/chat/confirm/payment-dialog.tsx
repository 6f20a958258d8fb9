import { useContractOracle, useOraclesConfig } from "@hearth/oracles-client-sdk";
import { Alert, Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../session/session.ts";
import { connectWallet, findWallets } from "../../session/wallet.ts";
import { useAmountText } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import type { OracleAddress } from "../oracle-provider.tsx";

type PaymentProps = OracleAddress & {
  claimIds: string[];
  /** The deposit is mined, so the refused message can be sent again. */
  onPaid: () => void;
  onClose: () => void;
};

/** Numbers of messages that the user can pay in advance. */
const offers = ["10", "100", "1000"] as const;

/** Show the price of a message, explain the deposit, and pay one with a wallet. */
export function PaymentDialog({ oracleDid, overrides, claimIds, onPaid, onClose }: PaymentProps) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const { config } = useOraclesConfig(oracleDid, overrides);
  const { contractOracle } = useContractOracle({ oracleDid, overrides });
  const [messages, setMessages] = useState<string>("100");
  const price = BigInt(config.price ?? "0");
  // The deposit first pays the messages that were answered on credit; the last claim is the refused message.
  const owed = BigInt(Math.max(0, claimIds.length - 1)) * price;
  const amount = price * BigInt(messages) + owed;
  const pay = useMutation({
    mutationFn: () => contractOracle({ amount, maxPrice: price }),
    onSuccess: () => {
      onClose();
      onPaid();
    },
  });
  return (
    <Dialog title={t("chat.payment.title")} onClose={onClose}>
      <Stack>
        <Terms price={price} owed={owed} />
        <Offers price={price} owed={owed} value={messages} onChange={setMessages} />
        {wallet === undefined ? (
          <ConnectWallet />
        ) : (
          <Stack gap={4}>
            <Text size="sm">{t("chat.payment.from", { name: wallet.name })}</Text>
            <CodeValue value={wallet.address} shorten />
          </Stack>
        )}
        {pay.isPending && (
          <Text size="sm" role="status">
            {t("chat.payment.confirm")}
          </Text>
        )}
        {pay.error !== null && <ErrorNotice error={pay.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.close")}
          </Button>
          <Button disabled={wallet === undefined || price === 0n} loading={pay.isPending} onClick={() => pay.mutate()}>
            {t("chat.payment.pay")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Terms({ price, owed }: { price: bigint; owed: bigint }) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  return (
    <>
      <Text>{t("chat.payment.each", { price: amountText({ micro: price }, "stablecoin") })}</Text>
      {owed > 0n && (
        <Alert color="orange">{t("chat.payment.owed", { amount: amountText({ micro: owed }, "stablecoin") })}</Alert>
      )}
      <Text size="sm" c="dimmed">
        {t("chat.payment.deposit")}
      </Text>
    </>
  );
}

type OffersProps = { price: bigint; owed: bigint; value: string; onChange: (messages: string) => void };

function Offers({ price, owed, value, onChange }: OffersProps) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const labelOf = (messages: string) => {
    const cost = amountText({ micro: price * BigInt(messages) + owed }, "stablecoin");
    return t("chat.payment.offer", { amount: cost, count: Number(messages) });
  };
  return (
    <Radio.Group label={t("chat.payment.amount")} value={value} onChange={onChange}>
      <Stack gap={6} mt={6}>
        {offers.map((messages) => (
          <Radio key={messages} value={messages} label={labelOf(messages)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function ConnectWallet() {
  const { t } = useTranslation();
  const wallets = useQuery({ queryKey: ["shell", "wallets"], queryFn: findWallets, staleTime: 0 });
  const connect = useMutation({ mutationFn: connectWallet });
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t(wallets.data?.length === 0 ? "chat.payment.noWallet" : "chat.payment.chooseWallet")}</Text>
      {wallets.data?.map((each) => (
        <Button key={each.id} variant="default" loading={connect.isPending} onClick={() => connect.mutate(each)}>
          {each.name}
        </Button>
      ))}
      {connect.isError && <ErrorNotice error={connect.error} />}
    </Stack>
  );
}
