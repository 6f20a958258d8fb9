import { Button, Group, List, Select, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { type CardLanguage, cardLanguages, languageNames } from "../cards/languages.ts";

const keyOf = (did: string) => ["implementer", "phones", did];

/** A household's phones, for USSD and SMS: register and remove them. */
export function HouseholdPhones({ did }: { did: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: keyOf(did),
    queryFn: ({ signal }) => hearth.get("/v1/phones", { query: { householdDid: did }, signal }),
  });
  const remove = useMutation({
    mutationFn: (number: string) => hearth.post("/v1/phones/removals", { body: { householdDid: did, number } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(did) }),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      {data.items.length === 0 && <Text>{t("implementer.access.noPhone")}</Text>}
      <List listStyleType="none" spacing="xs">
        {data.items.map(({ number, language, stoppedAt }) => (
          <List.Item key={number}>
            <Group gap="sm">
              <Text component="span">{number}</Text>
              <Text component="span" lang={language}>
                {languageNames[language]}
              </Text>
              {stoppedAt !== null && (
                <Text component="span" c="dimmed">
                  {t("implementer.access.stopped")}
                </Text>
              )}
              <Button
                size="compact-sm"
                variant="default"
                loading={remove.isPending && remove.variables === number}
                aria-label={`${t("implementer.access.remove")} ${number}`}
                onClick={() => remove.mutate(number)}
              >
                {t("implementer.access.remove")}
              </Button>
            </Group>
          </List.Item>
        ))}
      </List>
      {remove.isError && <ErrorNotice error={remove.error} />}
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("implementer.access.addPhone")}
        </Button>
      </Group>
      {isOpen && <PhoneDialog did={did} onClose={() => setOpen(false)} />}
    </>
  );
}

function PhoneDialog({ did, onClose }: { did: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm<{ number: string; language: CardLanguage }>({
    initialValues: { number: "", language: "en" },
    validate: {
      number: (number) => (/^\+[1-9]\d{6,14}$/.test(number.trim()) ? null : t("implementer.access.wrongNumber")),
    },
  });
  const add = useMutation({
    mutationFn: ({ number, language }: typeof form.values) =>
      hearth.post("/v1/phones", { body: { householdDid: did, number: number.trim(), language } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keyOf(did) });
      onClose();
    },
  });
  return (
    <Dialog title={t("implementer.access.addPhone")} onClose={onClose}>
      <Form
        form={form}
        work={add}
        submit={t("implementer.access.addPhone")}
        canSubmit={form.values.number.trim() !== ""}
        onCancel={onClose}
      >
        <TextInput
          label={t("implementer.access.number")}
          placeholder="+260971234567"
          inputMode="tel"
          required
          data-autofocus
          {...form.getInputProps("number")}
        />
        <Select
          label={t("implementer.cards.language")}
          data={cardLanguages.map((value) => ({ value, label: languageNames[value] }))}
          allowDeselect={false}
          {...form.getInputProps("language")}
        />
      </Form>
    </Dialog>
  );
}
