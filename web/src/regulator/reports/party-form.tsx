import { Autocomplete, Group, NumberInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { useParties } from "./use-parties.ts";

export type PartyQuery = { party: string; year: string };

type PartyFormProps = {
  /** What the form has at first. */
  given: Partial<PartyQuery>;
  onAsk: (query: PartyQuery) => void;
  isAsking: boolean;
  withYear?: boolean;
};

/** Choose a Party, and with `withYear` a year. */
export function PartyForm({ given, onAsk, isAsking, withYear = false }: PartyFormProps) {
  const { t } = useTranslation();
  const form = usePartyForm({}, given);
  const work = {
    mutate: ({ party, year }: typeof form.values) => onAsk({ party, year: String(year) }),
    isPending: isAsking,
    error: null,
  };
  return (
    <Form form={form} work={work} submit={t("regulator.aef.show")} inline>
      <Group align="flex-start" gap="sm">
        <PartyFields form={form} setParty={(party) => form.setFieldValue("party", party)} withYear={withYear} />
      </Group>
    </Form>
  );
}

type PartyValues = { party: string; year: number };

/** A form with a Party and a year, and other values. */
export function usePartyForm<Others extends object>(others: Others, given: Partial<PartyQuery>) {
  const { t } = useTranslation();
  const { party = "", year } = given;
  return useForm<PartyValues & Others>({
    initialValues: { party, year: Number(year) || new Date().getUTCFullYear(), ...others },
    validate: (values) => ({ party: /^[A-Z]{3}$/.test(values.party) ? null : t("regulator.aef.partyHint") }),
  });
}

type PartyFieldsProps = {
  form: { getInputProps: UseFormReturnType<PartyValues>["getInputProps"] };
  setParty: (party: string) => void;
  withYear: boolean;
};

/** The query of a report from the address; undefined until a Party is chosen. */
export function partyQueryOf(given: Partial<PartyQuery>): PartyQuery | undefined {
  const { party, year } = given;
  return party === undefined || year === undefined ? undefined : { party, year };
}

/** The fields of a Party and, with `withYear`, of a year. */
export function PartyFields({ form, setParty, withYear }: PartyFieldsProps) {
  const { t } = useTranslation();
  const parties = useParties();
  return (
    <>
      <Autocomplete
        label={t("regulator.aef.party")}
        placeholder="ZMB"
        data={parties}
        maxLength={3}
        w={110}
        required
        {...form.getInputProps("party")}
        onChange={(party) => setParty(party.toUpperCase())}
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
    </>
  );
}
