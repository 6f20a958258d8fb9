import { Alert, Button, Group, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { dateFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { payoutsKey } from "../../payouts/payout-list.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";

type Account = Schemas["PayoutAccount"];

const accountsKey = (did: string) => ["payout-accounts", did];

/** The mobile account in force, a change that waits, and the button that sets another one. */
export function MobileAccount({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: accountsKey(supplierDid),
    queryFn: ({ signal }) => hearth.get("/v1/payouts/accounts", { query: { supplierDid }, signal }),
  });
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const current = data?.items.find(({ state }) => state === "applies");
  const waiting = data?.items.find(({ state }) => state === "waits");
  return (
    <Paper withBorder p="md" radius="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Stack gap={2}>
            <Text fw={600}>{t("payouts.account.title")}</Text>
            <Text>{current === undefined ? t("payouts.account.none") : <Current account={current} />}</Text>
          </Stack>
          <Button variant={current === undefined ? "filled" : "default"} onClick={() => setOpen(true)}>
            {t(current === undefined ? "payouts.account.set" : "payouts.account.change")}
          </Button>
        </Group>
        {waiting !== undefined && <Waiting account={waiting} />}
      </Stack>
      {isOpen && <AccountDialog supplierDid={supplierDid} onClose={() => setOpen(false)} />}
    </Paper>
  );
}

function Current({ account }: { account: Account }) {
  const { t } = useTranslation();
  const role = t(account.setByRole === "supplier" ? "payouts.account.bySupplier" : "payouts.account.byOther");
  return <>{t("payouts.account.now", { number: account.number, role })}</>;
}

function Waiting({ account: { number, appliesAt } }: { account: Account }) {
  const { t, i18n } = useTranslation();
  const format = dateFormat(localeOf(i18n.language), { dateStyle: "medium", timeStyle: "short" });
  return <Alert color="yellow">{t("payouts.account.later", { number, at: format.format(new Date(appliesAt)) })}</Alert>;
}

type DialogProps = { supplierDid: string; onClose: () => void };

function AccountDialog({ supplierDid, onClose }: DialogProps) {
  const { t } = useTranslation();
  const { data: partners = [] } = useQuery({
    queryKey: ["payout-partners"],
    queryFn: ({ signal }) => hearth.get("/v1/payouts/partners", { signal }).then(({ items }) => items),
  });
  const open = partners.filter(({ closedAt }) => closedAt === null);
  const form = useForm({
    initialValues: { partnerId: "", number: "", holder: "" },
    validate: {
      partnerId: (id) => (id === "" ? t("payouts.account.noPartner") : null),
      number: (text) => (/^\+[1-9]\d{6,14}$/.test(withoutBlanks(text)) ? null : t("payouts.account.wrongNumber")),
      holder: (text) => (text.trim() === "" ? t("payouts.account.noHolder") : null),
    },
  });
  const set = useMutation({
    mutationFn: ({ partnerId, number, holder }: typeof form.values) =>
      hearth.put("/v1/payouts/accounts", {
        body: { supplierDid, partnerId, number: withoutBlanks(number), holder: holder.trim() },
      }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: accountsKey(supplierDid) }),
        queryClient.invalidateQueries({ queryKey: payoutsKey }),
      ]);
      onClose();
    },
  });
  return (
    <Dialog title={t("payouts.account.dialog")} onClose={onClose}>
      <Form form={form} work={set} submit={t("payouts.account.set")} onCancel={onClose}>
        <Text size="sm">{t("payouts.account.hint")}</Text>
        <Select
          label={t("payouts.account.partner")}
          data={open.map(({ id, name, currency }) => ({ value: id, label: `${name} (${currency})` }))}
          required
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps("partnerId")}
        />
        <TextInput
          label={t("payouts.account.number")}
          placeholder="+260971234567"
          type="tel"
          autoComplete="off"
          required
          {...form.getInputProps("number")}
        />
        <TextInput
          label={t("payouts.account.holder")}
          autoComplete="off"
          maxLength={100}
          required
          {...form.getInputProps("holder")}
        />
      </Form>
    </Dialog>
  );
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s\u00a0-]/g, "");
}
