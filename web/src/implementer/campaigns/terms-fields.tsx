import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { methodParameters, type ParameterSymbol, readsMeters, type TermsDraft } from "./emissions-terms.ts";

type TermsProps = {
  draft: TermsDraft;
  onChange: (part: Partial<TermsDraft>) => void;
  /** Fields with a text that is not a number. */
  unreadable: readonly string[];
};

const choices = {
  method: ["smec-4", "tpddtec-4", "tpddtec", "vm0050-1", "mecd-specific-energy"],
  fuel: ["wood", "charcoal"],
  fuelMass: ["as-weighed", "dry"],
  area: ["ZMB", "MWI", "KEN", "SSA"],
  baseline: ["measured", "minimum-service"],
  meteredFuel: ["electricity", "lpg", "natural-gas", "biogas", "ethanol"],
} as const;
const numbers = ["units", "householdSize", "usage", "surveyed", "inUse", "newUnits", "life", "creditingYear"] as const;
const rates = ["daf", "he", "leakage", "fnrb", "vintage"] as const;
const identifiers = ["parameters", "fnrbApproval"] as const;

/** Fields for the programme's data in addition to its measurements. */
export function TermsFields({ draft, onChange, unreadable }: TermsProps) {
  const { t } = useTranslation();
  const shown = (Object.keys(choices) as (keyof typeof choices)[]).filter(
    (name) => name !== "meteredFuel" || readsMeters(draft.method),
  );
  const text = (
    name: (typeof numbers)[number] | (typeof rates)[number] | ParameterSymbol | (typeof identifiers)[number],
  ) => (
    <TextInput
      key={name}
      label={t(`implementer.terms.${name}`)}
      value={draft[name]}
      inputMode={identifiers.some((each) => each === name) ? "text" : "decimal"}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      error={unreadable.includes(name) ? t("implementer.terms.noNumber") : undefined}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {shown.map((name) => (
        <NativeSelect
          key={name}
          label={t(`implementer.terms.${name}`)}
          value={draft[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
          data={[
            { value: "", label: t("implementer.terms.open") },
            ...choices[name].map((value) => ({ value, label: t(`implementer.terms.choice.${value}`) })),
          ]}
        />
      ))}
      {[...(methodParameters[draft.method] ?? []), ...numbers, ...rates].map(text)}
      {text("parameters")}
      {draft.fnrb !== "" && text("fnrbApproval")}
    </SimpleGrid>
  );
}
