import { Card, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAmountText } from "../../show/amount.tsx";
import { useMoneyText } from "../../show/money.tsx";
import type { Product } from "../records.ts";
import { priceOf, shareOf } from "./price-share.ts";

/** The chosen product's price, what the voucher pays of it, and what the household pays in money. */
export function PriceCard({ product, amount }: { product: Product; amount: bigint | undefined }) {
  const { t } = useTranslation();
  const money = useMoneyText();
  const carbon = useAmountText();
  const price = priceOf(product);
  if (price === undefined) return <Text size="sm">{t("supplier.price.none")}</Text>;
  const share = amount === undefined ? undefined : shareOf(product, amount);
  const lines = [
    [t("supplier.price.one", { unit: product.unit }), money(price)],
    ...(share === undefined || amount === undefined
      ? []
      : [
          [t("supplier.price.voucher", { amount: carbon({ micro: amount }, "carbon") }), money(share.paid)],
          [t("supplier.price.household"), money(share.left)],
        ]),
  ];
  return (
    <Card withBorder padding="sm" role="group" aria-label={t("supplier.price.title")}>
      {lines.map(([label, value]) => (
        <Group key={label} justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm">{label}</Text>
          <Text size="sm" fw={600} style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
            {value}
          </Text>
        </Group>
      ))}
    </Card>
  );
}
