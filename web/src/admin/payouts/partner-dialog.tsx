import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { partnersKey } from "./partners-key.ts";

type Kind = "mtn-momo" | "airtel-money";
/** Names of the companies, the same in every language. */
const kinds: { value: Kind; label: string }[] = [
  { value: "mtn-momo", label: "MTN MoMo" },
  { value: "airtel-money", label: "Airtel Money" },
];
/** What each partner's API needs. Secrets are typed unseen. */
const fields = {
  "mtn-momo": [
    { name: "subscriptionKey", isSecret: true },
    { name: "apiUser", isSecret: false },
    { name: "apiKey", isSecret: true },
    { name: "targetEnvironment", isSecret: false },
  ],
  "airtel-money": [
    { name: "clientId", isSecret: false },
    { name: "clientSecret", isSecret: true },
    { name: "encryptedPin", isSecret: true },
    { name: "country", isSecret: false },
    { name: "callingCode", isSecret: false },
  ],
} as const;

type Values = Record<"name" | "account" | "currency" | "kind" | "url" | (typeof fields)[Kind][number]["name"], string>;
const initialValues: Values = {
  name: "",
  account: "",
  currency: "",
  kind: "mtn-momo",
  url: "",
  subscriptionKey: "",
  apiUser: "",
  apiKey: "",
  targetEnvironment: "",
  clientId: "",
  clientSecret: "",
  encryptedPin: "",
  country: "",
  callingCode: "",
};

type PartnerDialogProps = { onMade: (made: Schemas["CreatedPayoutPartner"]) => void; onClose: () => void };

/** Add a mobile-money partner. Its secrets are sent once and are not stored on this device. */
export function PartnerDialog({ onMade, onClose }: PartnerDialogProps) {
  const { t, i18n } = useTranslation();
  const form = useForm<Values>({ initialValues });
  const kind = form.values.kind as Kind;
  const make = useMutation({
    mutationFn: async (values: Values) => onMade(await hearth.post("/v1/payouts/partners", { body: bodyOf(values) })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: partnersKey });
      onClose();
    },
  });
  const names = new Intl.DisplayNames(i18n.language, { type: "currency" });
  const currencies = Intl.supportedValuesOf("currency").map((value) => ({
    value,
    label: `${value} · ${names.of(value) ?? value}`,
  }));
  const own = fields[kind];
  const needed = ["name", "account", "currency", "url", ...own.map(({ name }) => name)] as (keyof Values)[];
  const isComplete = needed.every((name) => form.values[name].trim() !== "");
  return (
    <Dialog title={t("payouts.partners.add")} onClose={onClose}>
      <Form form={form} work={make} submit={t("payouts.partners.add")} canSubmit={isComplete} onCancel={onClose}>
        <TextInput
          label={t("payouts.partners.name")}
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Select
          label={t("payouts.partners.kind")}
          data={kinds}
          allowDeselect={false}
          required
          {...form.getInputProps("kind")}
        />
        <TextInput
          label={t("payouts.partners.account")}
          description={t("payouts.partners.accountHint")}
          placeholder="0x…"
          spellCheck={false}
          required
          {...form.getInputProps("account")}
        />
        <Select
          label={t("payouts.partners.currency")}
          data={currencies}
          searchable
          required
          {...form.getInputProps("currency")}
        />
        <TextInput label={t("payouts.partners.url")} type="url" required {...form.getInputProps("url")} />
        {own.map(({ name, isSecret }) => {
          const hint = name === "encryptedPin" ? { description: t("payouts.partners.encryptedPinHint") } : {};
          const shared = {
            label: t(`payouts.partners.${name}`),
            ...hint,
            autoComplete: "off",
            spellCheck: false,
            required: true,
            ...form.getInputProps(name),
          };
          return isSecret ? <PasswordInput key={name} {...shared} /> : <TextInput key={name} {...shared} />;
        })}
      </Form>
    </Dialog>
  );
}

function bodyOf(values: Values): Schemas["NewPayoutPartner"] {
  const text = (name: keyof Values) => values[name].trim();
  const shared = { name: text("name"), account: text("account"), currency: text("currency") };
  const url = text("url");
  if (values.kind === "mtn-momo") {
    const [subscriptionKey, apiUser, apiKey] = [text("subscriptionKey"), text("apiUser"), text("apiKey")];
    const targetEnvironment = text("targetEnvironment");
    return { ...shared, api: { kind: "mtn-momo", url, subscriptionKey, apiUser, apiKey, targetEnvironment } };
  }
  const [clientId, clientSecret, encryptedPin] = [text("clientId"), text("clientSecret"), text("encryptedPin")];
  const [country, callingCode] = [text("country"), text("callingCode")];
  return { ...shared, api: { kind: "airtel-money", url, clientId, clientSecret, encryptedPin, country, callingCode } };
}
