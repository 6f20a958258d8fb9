import { Alert, Button, Card, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Decimal, exact, formatScaled, parseExact, toMicro } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { serverNow } from "../../api/server-time.ts";
import { Form } from "../../forms/form.tsx";
import { parseScaled } from "../../numbers/scaled.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { CancelledOrder, OpenOrder } from "../orders/open-order.tsx";
import { signOrder } from "../orders/sign-order.ts";
import { nonceOf, type SignedOrder, signedOrder, useOrder } from "../orders/use-order.ts";
import { WalletGate } from "../wallet-gate.tsx";
import { minimumOut } from "./bounds.ts";

type Quote = Schemas["PoolQuote"];
type Swap = Schemas["PoolSwap"];
type SwapTerms = { amountIn: Decimal; minOut: Decimal };

/** Price tolerance between quote and execution, in hundredths of a percent. */
const toleranceBps = 50n;
const validSeconds = 1_800;

/** Buy CARBON from the pool: a quote, then an order that the implementer's account signs. */
export function SwapPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.swap")} lead={t("implementer.swap.lead")}>
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
      return hearth.post("/v1/pool/quote", { body: { side: "buy", amountIn } });
    },
    onSuccess: () => setSwapped(undefined),
  });
  const order = useOrder<Swap>({
    name: `swap ${implementerDid}`,
    send: async (options) => {
      const answer = await hearth.post("/v1/pool/swap", options);
      if ("typedData" in answer) throw new TypeError("The API answered no swap.");
      return answer;
    },
    readLate: ({ swapId }) => hearth.get("/v1/pool/swaps/{swapId}", { path: { swapId: String(swapId) } }),
    onDone: (done) => {
      void queryClient.invalidateQueries({ queryKey: ["implementer"] });
      setSwapped(done);
    },
  });
  if (order.open !== undefined) {
    const { amountIn, minOut } = parseExact(order.open.text) as SwapTerms;
    const nonce = nonceOf(order.open);
    const cancellation = { action: "pool-cancel-order", side: "buy", implementerDid, nonce } as const;
    return (
      <OpenOrder {...order} cancellation={cancellation} onAgain={order.sendAgain}>
        <Amount value={amountIn} unit="stablecoin" /> → ≥ <Amount value={minOut} unit="carbon" />
      </OpenOrder>
    );
  }
  return (
    <Stack maw={560}>
      {order.cancelledBy !== undefined && <CancelledOrder transactionHash={order.cancelledBy} />}
      <Form form={form} work={quote} submit={t("implementer.swap.quote")} variant="default" inline>
        <TextInput
          flex="1 1 12rem"
          label={t("implementer.swap.amount")}
          inputMode="decimal"
          autoComplete="off"
          required
          {...form.getInputProps("amount")}
        />
      </Form>
      {quote.data !== undefined && swapped === undefined && (
        <QuoteCard quote={quote.data}>
          <WalletGate implementerDid={implementerDid}>
            <Button loading={order.isPending} onClick={() => order.send(() => signSwap(implementerDid, quote.data))}>
              {t("implementer.swap.submit")}
            </Button>
          </WalletGate>
        </QuoteCard>
      )}
      {order.error !== null && <ErrorNotice error={order.error} />}
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
          {t("implementer.swap.least")}: <Amount micro={minimumOut(toMicro(amountOut), toleranceBps)} unit="carbon" />
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

/** Let the implementer's account sign an order for the quoted amount, less the tolerance. */
async function signSwap(implementerDid: string, { amountIn, amountOut }: Quote): Promise<SignedOrder> {
  const order = {
    side: "buy" as const,
    implementerDid,
    amountIn: exact(String(amountIn)),
    minOut: exact(formatScaled(minimumOut(toMicro(amountOut), toleranceBps), 6)),
    deadline: Math.floor(serverNow() / 1000) + validSeconds,
  };
  const asked = await hearth.post("/v1/pool/swap", { body: order });
  if (!("typedData" in asked)) throw new TypeError("The API named nothing to sign.");
  const { typedData, nonce } = asked;
  const signatures = { ...(await signOrder(typedData)), nonce };
  return signedOrder({ ...order, signatures }, `swap-${nonce}`);
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
