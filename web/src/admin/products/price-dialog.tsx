import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { exact, formatScaled } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { parseScaled } from "../../numbers/scaled.ts";
import { Dialog } from "../../show/dialog.tsx";

type Product = Schemas["Product"];

/** Set the price of one unit in money, and the CARBON that it takes. */
export function PriceDialog({ product, onClose }: { product: Product; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { productId, price, unit } = product;
  const form = useForm({
    initialValues: {
      amount: price === null ? "" : String(price.amount),
      currency: price?.currency ?? "",
      carbon: price?.carbon == null ? "" : String(price.carbon),
    },
    validate: {
      amount: (text) => (isPositive(text) ? null : t("admin.products.price.wrong")),
      currency: (code) => (code === "" ? t("admin.products.price.noCurrency") : null),
      carbon: (text) => (text.trim() === "" || isPositive(text) ? null : t("admin.products.price.wrong")),
    },
  });
  const set = useMutation({
    mutationFn: async ({ amount, currency, carbon }: typeof form.values) => {
      const next = {
        amount: numberOf(amount),
        currency,
        ...(carbon.trim() === "" ? {} : { carbon: numberOf(carbon) }),
      };
      await hearth.patch("/v1/products/{productId}", { path: { productId }, body: { price: next } });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin", "products"] });
      onClose();
    },
  });
  const names = new Intl.DisplayNames(i18n.language, { type: "currency" });
  const currencies = Intl.supportedValuesOf("currency").map((code) => ({
    value: code,
    label: `${code} · ${names.of(code) ?? code}`,
  }));
  return (
    <Dialog title={t("admin.products.price.title", { name: product.name })} onClose={onClose}>
      <Form form={form} work={set} submit={t("admin.products.price.submit")} onCancel={onClose}>
        <TextInput
          label={t("admin.products.price.amount", { unit })}
          inputMode="decimal"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <Select
          label={t("admin.products.price.currency")}
          data={currencies}
          searchable
          required
          {...form.getInputProps("currency")}
        />
        <TextInput
          label={t("admin.products.price.carbon", { unit })}
          description={t("admin.products.price.carbonHint")}
          inputMode="decimal"
          autoComplete="off"
          {...form.getInputProps("carbon")}
        />
      </Form>
    </Dialog>
  );
}

function isPositive(text: string): boolean {
  const micro = parseScaled(text, 6);
  return micro !== undefined && micro > 0n;
}

/** The typed number with all its digits. */
function numberOf(text: string) {
  return exact(formatScaled(parseScaled(text, 6) ?? 0n, 6));
}
