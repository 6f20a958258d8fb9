import { Checkbox, Fieldset, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { emptyKey, keyBody, keyProblems } from "./key-draft.ts";
import { scopeGroups, scopeText } from "./scopes.ts";

type KeyDialogProps = { onMade: (made: Schemas["CreatedApiKey"]) => void; onClose: () => void };

/** Make an integrator's key: what it may do, for whom, from where, and until when. */
export function KeyDialog({ onMade, onClose }: KeyDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: emptyKey,
    validate: (values) => {
      const problems = keyProblems(values, Date.now());
      return Object.fromEntries(Object.entries(problems).map(([name, key]) => [name, t(key)]));
    },
  });
  const make = useMutation({
    mutationFn: async (values: typeof form.values) => {
      const body = keyBody(values);
      return await sendOnce("program-key", JSON.stringify(body), (idempotencyKey) =>
        hearth.post("/v1/keys", { body, idempotencyKey }),
      );
    },
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["admin", "keys"] });
      onClose();
      onMade(made);
    },
  });
  return (
    <Dialog title={t("keys.add")} size="lg" onClose={onClose}>
      <Form
        form={form}
        work={make}
        submit={t("keys.add")}
        canSubmit={form.values.name.trim() !== ""}
        onCancel={onClose}
      >
        <TextInput
          label={t("people.name")}
          description={t("keys.nameHint")}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Checkbox.Group label={t("keys.scopes")} description={t("keys.scopesHint")} {...form.getInputProps("scopes")}>
          <Stack gap="xs" mt="xs">
            {scopeGroups.map(([group, scopes]) => (
              <Fieldset key={group} legend={t(`keys.group.${group}`)} p="xs">
                <Stack gap="xs">
                  {scopes.map((scope) => (
                    <Checkbox
                      key={scope}
                      value={scope}
                      label={t(scopeText(scope))}
                      description={
                        <Text span size="xs" ff="monospace" translate="no" lang="en">
                          {scope}
                        </Text>
                      }
                    />
                  ))}
                </Stack>
              </Fieldset>
            ))}
          </Stack>
        </Checkbox.Group>
        {!form.values.isForAll && (
          <TagsInput
            label={t("keys.dids")}
            description={t("keys.didsHint")}
            placeholder={t("keys.listHint")}
            withAsterisk
            maxTags={1000}
            {...form.getInputProps("dids")}
          />
        )}
        <Checkbox label={t("keys.forAll")} {...form.getInputProps("isForAll", { type: "checkbox" })} />
        <TagsInput
          label={t("keys.addresses")}
          description={t("keys.addressesHint")}
          placeholder={t("keys.listHint")}
          maxTags={100}
          {...form.getInputProps("ipRanges")}
        />
        <TextInput
          type="date"
          label={t("keys.expiry")}
          description={t("keys.expiryHint")}
          {...form.getInputProps("lastDay")}
        />
        <TextInput
          inputMode="numeric"
          label={t("keys.rate")}
          description={t("keys.rateHint")}
          {...form.getInputProps("requestsPerMinute")}
        />
      </Form>
    </Dialog>
  );
}
