import { Fieldset, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { driedFuels } from "../../../../wire/src/kpt-visits.ts";
import { dryNcvField, gwpSets, type RareTerm, type TermsProps } from "./emissions-terms.ts";

const numbers = ["units", "newUnits", "usage", "surveyed", "inUse"] as const;

/** Terms that few campaigns state: loaded on use. */
export function RareTermsFields({ draft, onChange, unreadable }: TermsProps) {
  const { t } = useTranslation();
  const field = (name: RareTerm, inputMode: "text" | "decimal" = "decimal") => ({
    value: draft[name],
    inputMode,
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
    error: unreadable.includes(name) ? t("implementer.terms.noNumber") : undefined,
  });
  return (
    <Fieldset legend={t("acts.terms.title")}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={t("acts.terms.gwp")}
            description={t("acts.terms.gwpHint")}
            value={draft.gwp}
            onChange={(event) => onChange({ gwp: event.currentTarget.value })}
            data={[{ value: "", label: t("implementer.terms.open") }, ...gwpSets]}
          />
          <TextInput
            label={t("acts.terms.methodVersion")}
            description={t("acts.terms.methodVersionHint")}
            spellCheck={false}
            {...field("methodVersion", "text")}
          />
        </SimpleGrid>
        <TextInput
          label={t("implementer.terms.parameters")}
          description={t("acts.terms.parametersHint")}
          spellCheck={false}
          {...field("parameters", "text")}
        />
        {draft.fuelMass === "dry" && (
          <>
            <Text size="sm">{t("acts.terms.dryNcvHint")}</Text>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
              {driedFuels.map((fuel) => (
                <TextInput
                  key={fuel}
                  label={t("acts.terms.dryNcv", { fuel: t(`implementer.fuel.${fuel}`) })}
                  {...field(dryNcvField(fuel))}
                />
              ))}
            </SimpleGrid>
          </>
        )}
        <Text size="sm">{t("acts.terms.unitsHint")}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {numbers.map((name) => (
            <TextInput key={name} label={t(`implementer.terms.${name}`)} {...field(name)} />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}
