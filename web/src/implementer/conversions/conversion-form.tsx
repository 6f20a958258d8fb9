import { NumberInput, Select, SimpleGrid, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Decimal, parseExact } from "../../../../wire/src/exact.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { CancelledOrder, OpenOrder } from "../orders/open-order.tsx";
import { signOrder } from "../orders/sign-order.ts";
import { nonceOf, type SignedOrder, signedOrder, useOrder } from "../orders/use-order.ts";
import type { Conversion } from "./conversion.ts";

type ConversionTerms = { amount: Decimal; authorizationId: string; vintage: number };
/** CARBON of one tonne. */
const tonne = 1000;

type ConversionFormProps = { implementerDid: string; onRequested: (conversion: Conversion) => void };

/** Request a conversion with an order that the implementer's account signs. */
export function ConversionForm({ implementerDid, onRequested }: ConversionFormProps) {
  const { t } = useTranslation();
  const authorizations = useQuery({
    queryKey: ["implementer", "authorizations"],
    queryFn: ({ signal }) => hearth.get("/v1/itmo/authorizations", { query: { limit: 500 }, signal }),
  });
  const vintages = useQuery({
    queryKey: ["implementer", "vintages"],
    queryFn: ({ signal }) => hearth.get("/v1/itmo/vintages", { signal }),
  });
  const form = useForm({
    initialValues: {
      authorizationId: "",
      tonnes: "" as number | "",
      vintage: new Date().getUTCFullYear() as number | "",
    },
    validate: {
      authorizationId: (text) => (text === "" ? t("implementer.required") : null),
      tonnes: (value) => (value === "" || value < 1 ? t("implementer.conversions.wholeTonnes") : null),
      vintage: (value) => (value === "" ? t("implementer.required") : null),
    },
  });
  const known = authorizations.data?.items ?? [];
  const chosen = known.find(({ authorizationId }) => authorizationId === form.values.authorizationId);
  const sign = async ({ authorizationId, tonnes, vintage }: typeof form.values): Promise<SignedOrder> => {
    const { cooperativeApproachId = "" } = chosen ?? {};
    const amount = Number(tonnes) * tonne;
    const order = { implementerDid, amount, authorizationId, cooperativeApproachId, vintage: Number(vintage) };
    const asked = await hearth.post("/v1/itmo/conversions", { body: order });
    if (!("typedData" in asked)) throw new TypeError("The API named nothing to sign.");
    const { typedData, nonce, deadline } = asked;
    const signatures = { ...(await signOrder(typedData)), nonce, deadline };
    return signedOrder({ ...order, signatures }, `conversion-${nonce}`);
  };
  const order = useOrder<Conversion>({
    name: `conversion ${implementerDid}`,
    send: async (options) => {
      const answer = await hearth.post("/v1/itmo/conversions", options);
      if (!("conversionId" in answer)) throw new TypeError("The API answered no conversion.");
      return answer;
    },
    readLate: ({ conversionId }) =>
      hearth.get("/v1/itmo/conversions/{conversionId}", { path: { conversionId: String(conversionId) } }),
    onDone: (conversion) => {
      form.reset();
      onRequested(conversion);
      void queryClient.invalidateQueries({ queryKey: ["implementer"] });
    },
  });
  if (order.open !== undefined) {
    const { amount, authorizationId, vintage } = parseExact(order.open.text) as ConversionTerms;
    const nonce = nonceOf(order.open);
    const cancellation = { action: "itmo-cancel-order", implementerDid, nonce } as const;
    return (
      <OpenOrder {...order} cancellation={cancellation} onAgain={order.sendAgain}>
        <Amount value={amount} unit="carbon" /> → {authorizationId}, {vintage}
      </OpenOrder>
    );
  }
  const work = {
    mutate: (values: typeof form.values) => order.send(() => sign(values)),
    isPending: order.isPending,
    error: order.error,
  };
  return (
    <Form form={form} work={work} submit={t("implementer.conversions.submit")} maw={640}>
      {order.cancelledBy !== undefined && <CancelledOrder transactionHash={order.cancelledBy} />}
      <Select
        label={t("implementer.conversions.authorization")}
        data={known.map(({ authorizationId }) => authorizationId)}
        required
        {...form.getInputProps("authorizationId")}
      />
      {chosen !== undefined && (
        <Text size="sm">{t("implementer.conversions.remaining", { count: chosen.remaining })}</Text>
      )}
      <SimpleGrid cols={2}>
        <NumberInput
          label={t("implementer.conversions.tonnes")}
          description={t("implementer.conversions.tonnesHint")}
          min={1}
          max={9_000_000}
          allowDecimal={false}
          required
          {...form.getInputProps("tonnes")}
        />
        <NumberInput
          label={t("implementer.conversions.vintage")}
          description={t("implementer.conversions.vintageHint")}
          min={1990}
          max={9999}
          thousandSeparator=""
          allowDecimal={false}
          required
          {...form.getInputProps("vintage")}
        />
      </SimpleGrid>
      {vintages.data !== undefined && <Available items={vintages.data.items} />}
      {authorizations.error !== null && <ErrorNotice error={authorizations.error} />}
      {vintages.error !== null && <ErrorNotice error={vintages.error} />}
    </Form>
  );
}

type Vintage = { vintage: number; tonnes: number };

/** Whole tonnes that one conversion can take of each vintage now. */
function Available({ items }: { items: Vintage[] }) {
  const { t, i18n } = useTranslation();
  const whole = items.filter(({ tonnes }) => tonnes > 0);
  const numbers = new Intl.NumberFormat(i18n.language);
  const vintages = whole.map(({ vintage, tonnes }) => `${vintage}: ${numbers.format(tonnes)} t`).join(", ");
  return (
    <Text size="sm">
      {whole.length === 0
        ? t("implementer.conversions.noneAvailable")
        : t("implementer.conversions.available", { vintages })}
    </Text>
  );
}
