import { Alert, Button, Card, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Decimal, exact, toMicro } from "../../api/numbers.ts";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { serverNow } from "../../api/server-time.ts";
import { type LateResult, requestSettled } from "../../api/settled.ts";
import { formatScaled, parseScaled } from "../../numbers/scaled.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type OpenOrder, type SignedOrder, sendOrder, signOrder, type TypedDataToSign } from "../sign-order.ts";
import { WalletGate } from "../wallet-gate.tsx";
import { leastOut } from "./bounds.ts";

type Quote = {
  amountIn: Decimal;
  amountOut: Decimal;
  price: Decimal;
  feeAmount: Decimal;
  executable: boolean;
  brokenRules: { path: string; rule: string; message: string }[];
};
type SwapToSign = { typedData: TypedDataToSign[]; nonce: string };
type Swap = { id: string; amountIn: Decimal; amountOut: Decimal; transactionHash: string };

/** How far the price may move until the order is carried out, in hundredths of a percent. */
const toleranceBps = 50n;
const validSeconds = 1_800;

/** Buy CARBON of the pool: a quote, then the order that the implementer's account signs. */
export function SwapPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("implementer.swap.title")} lead={t("implementer.swap.lead")}>
      <ParticipantGate kind="implementer">{(did) => <Swapping key={did} implementerDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Swapping({ implementerDid }: { implementerDid: string }) {
  const { t } = useTranslation();
  const [swapped, setSwapped] = useState<Swap>();
  const form = useForm({
    initialValues: { amount: "" },
    validate: { amount: (text) => ((parseScaled(text, 6) ?? 0n) > 0n ? null : t("implementer.swap.amountWrong")) },
    onValuesChange: () => quote.reset(),
  });
  const quote = useMutation({
    mutationFn: ({ amount }: { amount: string }) => {
      const amountIn = exact(formatScaled(parseScaled(amount, 6) ?? 0n, 6));
      return request<Quote>("POST", "/v1/pool/quote", { body: { side: "buy", amountIn } });
    },
    onSuccess: () => setSwapped(undefined),
  });
  return (
    <Stack maw={560}>
      <form onSubmit={form.onSubmit((values) => quote.mutate(values))} noValidate>
        <Group align="flex-end">
          <TextInput
            flex="1 1 12rem"
            label={t("implementer.swap.amount")}
            inputMode="decimal"
            autoComplete="off"
            required
            {...form.getInputProps("amount")}
          />
          <Button type="submit" variant="default" loading={quote.isPending}>
            {t("implementer.swap.quote")}
          </Button>
        </Group>
      </form>
      {quote.isError && <ErrorNotice error={quote.error} />}
      {quote.data !== undefined && swapped === undefined && (
        <QuoteCard quote={quote.data}>
          <WalletGate implementerDid={implementerDid}>
            <Order implementerDid={implementerDid} quote={quote.data} onSwapped={setSwapped} />
          </WalletGate>
        </QuoteCard>
      )}
      {swapped !== undefined && <Done swap={swapped} />}
    </Stack>
  );
}

function QuoteCard({ quote, children }: { quote: Quote; children: React.ReactNode }) {
  const { t } = useTranslation();
  const { amountIn, amountOut, price, feeAmount, executable, brokenRules } = quote;
  return (
    <Card withBorder component="section" aria-label={t("implementer.swap.quote")}>
      <Stack gap="sm">
        <Text size="xl" fw={700} role="status">
          <Amount value={amountIn} unit="stablecoin" /> → <Amount value={amountOut} unit="carbon" />
        </Text>
        <Text size="sm">
          {t("implementer.swap.price")}: <Amount value={price} unit="stablecoin" /> · {t("implementer.swap.fee")}:{" "}
          <Amount value={feeAmount} unit="stablecoin" />
        </Text>
        <Text size="sm">
          {t("implementer.swap.least")}: <Amount micro={leastOut(toMicro(amountOut), toleranceBps)} unit="carbon" />
        </Text>
        {executable ? (
          children
        ) : (
          <Alert color="orange" title={t("implementer.swap.notNow")}>
            {brokenRules.map(({ rule, message }) => (
              <Text size="sm" key={rule}>
                {message}{" "}
                <Text span size="xs" ff="monospace">
                  {rule}
                </Text>
              </Text>
            ))}
          </Alert>
        )}
      </Stack>
    </Card>
  );
}

type OrderProps = { implementerDid: string; quote: Quote; onSwapped: (swap: Swap) => void };

function Order({ implementerDid, quote, onSwapped }: OrderProps) {
  const { t } = useTranslation();
  const open: OpenOrder = useRef(undefined);
  const sign = async (): Promise<SignedOrder> => {
    const order = {
      side: "buy",
      implementerDid,
      amountIn: exact(String(quote.amountIn)),
      minOut: exact(formatScaled(leastOut(toMicro(quote.amountOut), toleranceBps), 6)),
      deadline: Math.floor(serverNow() / 1000) + validSeconds,
    };
    const { typedData, nonce } = await request<SwapToSign>("POST", "/v1/pool/swap", { body: order });
    const signatures = { ...(await signOrder(typedData)), nonce };
    return { body: { ...order, signatures }, idempotencyKey: `swap-${nonce}` };
  };
  const readSwap = ({ swapId }: LateResult) =>
    request<Swap>("GET", `/v1/pool/swaps/${encodeURIComponent(String(swapId))}`);
  const swap = useMutation({
    mutationFn: () =>
      sendOrder(open, `${quote.amountIn} ${quote.amountOut}`, sign, (order) =>
        requestSettled<Swap>("POST", "/v1/pool/swap", order, readSwap),
      ),
    onSuccess: (done) => {
      void queryClient.invalidateQueries({ queryKey: ["implementer"] });
      onSwapped(done);
    },
  });
  return (
    <Stack gap="sm">
      <Button loading={swap.isPending} onClick={() => swap.mutate()}>
        {t("implementer.swap.submit")}
      </Button>
      {swap.isError && <ErrorNotice error={swap.error} />}
    </Stack>
  );
}

function Done({ swap }: { swap: Swap }) {
  const { t } = useTranslation();
  return (
    <Alert color="teal" role="status" title={t("implementer.swap.done")}>
      <Stack gap="xs">
        <Text>
          <Amount value={swap.amountIn} unit="stablecoin" /> → <Amount value={swap.amountOut} unit="carbon" />
        </Text>
        <CodeValue value={swap.id} />
        <CodeValue value={swap.transactionHash} shorten />
      </Stack>
    </Alert>
  );
}
