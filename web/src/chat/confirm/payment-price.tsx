import { useOraclesConfig } from "@hearth/oracles-client-sdk";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAmountText } from "../../show/amount.tsx";
import type { OracleAddress } from "../oracle-provider.tsx";

/** Price of a message; nothing when the oracle is free. */
export function PaymentPrice({ oracleDid, overrides }: OracleAddress) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const { config } = useOraclesConfig(oracleDid, overrides);
  const { price = "0", freeMessages = 0 } = config;
  if (BigInt(price) === 0n) return null;
  const cost = amountText({ micro: price }, "stablecoin");
  return (
    <Text size="xs" c="dimmed">
      {t("chat.payment.each", { price: cost })} {freeMessages > 0 && t("chat.payment.free", { count: freeMessages })}
    </Text>
  );
}
