import { Autocomplete, Group, NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { useParties } from "./use-parties.ts";

export type PartyQuery = { party: string; year: string };

type PartyFormProps = { onAsk: (query: PartyQuery) => void; isAsking: boolean; withYear?: boolean };

/** Choose a Party, and with `withYear` a year. */
export function PartyForm({ onAsk, isAsking, withYear = false }: PartyFormProps) {
  const { t } = useTranslation();
  const parties = useParties();
  const form = useForm({
    initialValues: { party: "", year: new Date().getUTCFullYear() },
    validate: { party: (value) => (/^[A-Z]{3}$/.test(value) ? null : t("regulator.aef.partyHint")) },
  });
  const work = {
    mutate: ({ party, year }: typeof form.values) => onAsk({ party, year: String(year) }),
    isPending: isAsking,
    error: null,
  };
  return (
    <Form form={form} work={work} submit={t("regulator.aef.show")} inline>
      <Group align="flex-start" gap="sm">
        <Autocomplete
          label={t("regulator.aef.party")}
          placeholder="ZMB"
          data={parties}
          maxLength={3}
          w={110}
          required
          {...form.getInputProps("party")}
          onChange={(party) => form.setFieldValue("party", party.toUpperCase())}
        />
        {withYear && (
          <NumberInput
            label={t("regulator.aef.year")}
            min={2021}
            max={2100}
            w={110}
            allowDecimal={false}
            thousandSeparator=""
            {...form.getInputProps("year")}
          />
        )}
      </Group>
    </Form>
  );
}
