import "../../show/print.css";
import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconPrinter, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { dateFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { useParticipant } from "../../participants/use-participant.ts";
import { useAmountText } from "../../show/amount.tsx";
import { Loading } from "../../show/loading.tsx";
import { useMoneyText } from "../../show/money.tsx";
import { sendText } from "../../show/send-text.ts";
import type { QueueEntry } from "../queue/entry.ts";
import type { Redemption } from "../records.ts";
import { RedemptionFrame } from "../redemption-frame.tsx";
import { type Receipt, receiptOf } from "./receipt.ts";

/** A redemption's receipt, to print or to send. */
export function ReceiptPage() {
  const { t } = useTranslation();
  return (
    <RedemptionFrame title={t("supplier.receipt.title")}>
      {(redemption) => <Known redemption={redemption} />}
    </RedemptionFrame>
  );
}

function Known({ redemption }: { redemption: Redemption }) {
  const { productId, supplierDid, redemptionId } = redemption;
  const product = useQuery({
    queryKey: ["products", productId],
    queryFn: ({ signal }) => hearth.get("/v1/products/{productId}", { path: { productId }, signal }),
  });
  const shop = useParticipant("supplier", supplierDid);
  const order = useOrder(redemptionId);
  if (product.isLoading || shop.isLoading || order === "reading") return <Loading />;
  const names = { shop: shop.data?.name ?? supplierDid, product: product.data };
  return <Sheet receipt={receiptOf({ redemption, entry: order, ...names })} />;
}

/** The order behind the redemption, where it was made on this device. */
function useOrder(redemptionId: string): QueueEntry | undefined | "reading" {
  const [order, setOrder] = useState<QueueEntry | undefined | "reading">("reading");
  useEffect(() => {
    let isShown = true;
    const read = async () => {
      const { readQueue } = await import("../queue/queue-store.ts");
      return (await readQueue()).find((entry) => entry.redemptionId === redemptionId);
    };
    const show = (found: QueueEntry | undefined) => isShown && setOrder(found);
    // Without its order, the receipt only lacks the money.
    read().then(show, () => show(undefined));
    return () => {
      isShown = false;
    };
  }, [redemptionId]);
  return order;
}

function Sheet({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation();
  const lines = useLines(receipt);
  const [isSaved, setSaved] = useState(false);
  const send = async () => {
    const title = `${t("supplier.receipt.title")} ${receipt.redemptionId}`;
    const text = [receipt.shop, title, ...lines.map(([label, value]) => `${label}: ${value}`)].join("\n");
    setSaved((await sendText(title, text, `${receipt.redemptionId}.txt`)) === "saved");
  };
  return (
    <Stack maw={480}>
      <Card withBorder padding="md" component="section" aria-label={t("supplier.receipt.title")}>
        <Stack gap="xs">
          <Text fw={700} size="lg" translate="no">
            {receipt.shop}
          </Text>
          {lines.map(([label, value]) => (
            <Group key={label} justify="space-between" align="flex-start" wrap="nowrap" gap="md">
              <Text size="sm">{label}</Text>
              <Text size="sm" fw={600} ta="end" translate="no" style={{ overflowWrap: "anywhere" }}>
                {value}
              </Text>
            </Group>
          ))}
        </Stack>
      </Card>
      <Group data-print="no">
        <Button leftSection={<IconPrinter size={18} aria-hidden />} onClick={() => window.print()}>
          {t("supplier.receipt.print")}
        </Button>
        <Button variant="default" leftSection={<IconSend size={18} aria-hidden />} onClick={() => void send()}>
          {t("supplier.receipt.send")}
        </Button>
        <Button variant="default" component={Link} to="/supplier/redeem">
          {t("supplier.redeem.next")}
        </Button>
      </Group>
      <Text size="sm" role="status" data-print="no">
        {isSaved && t("supplier.receipt.saved")}
      </Text>
    </Stack>
  );
}

/** The receipt's lines: label and value. */
function useLines(receipt: Receipt): [label: string, value: string][] {
  const { t, i18n } = useTranslation();
  const carbon = useAmountText();
  const money = useMoneyText();
  const { price, paid, left, remaining } = receipt;
  const at = dateFormat(localeOf(i18n.language), { dateStyle: "medium", timeStyle: "short" });
  return [
    [t("supplier.column.redeemedAt"), at.format(new Date(receipt.at))],
    [t("supplier.column.product"), receipt.product],
    ...(price === undefined ? [] : line(t("supplier.receipt.price"), money(price))),
    [t("supplier.receipt.carbon"), carbon({ micro: receipt.carbon }, "carbon")],
    ...(paid === undefined ? [] : line(t("supplier.receipt.paid"), money(paid))),
    ...(left === undefined ? [] : line(t("supplier.price.household"), money(left))),
    [t("supplier.column.consent"), t(`supplier.consentLevel.${receipt.consent}`)],
    [t("supplier.column.voucher"), receipt.voucherId],
    ...(remaining === undefined ? [] : line(t("supplier.redeem.remaining"), carbon({ micro: remaining }, "carbon"))),
    [t("supplier.column.redemption"), receipt.redemptionId],
  ];
}

function line(label: string, value: string): [label: string, value: string][] {
  return [[label, value]];
}
