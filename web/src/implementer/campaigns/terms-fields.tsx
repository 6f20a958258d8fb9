import { Button, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { kptFuels } from "../../../../wire/src/kpt-visits.ts";
import { lazyPart } from "../../lazy-part.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { methodParameters, type ParameterSymbol, rareTerms, readsMeters, type TermsProps } from "./emissions-terms.ts";

const RareTermsFields = lazyPart("acts", () => import("./rare-terms-fields.tsx"), "RareTermsFields");

const choices = {
  method: ["smec-4", "tpddtec-4", "tpddtec", "vm0050-1", "mecd-specific-energy"],
  fuelMass: ["as-weighed", "dry"],
  valuePer: ["household", "person", "standard-adult"],
  area: ["ZMB", "MWI", "KEN", "SSA"],
  baseline: ["measured", "minimum-service"],
  meteredFuel: ["electricity", "lpg", "natural-gas", "biogas", "ethanol"],
} as const;
const numbers = ["householdSize", "life", "creditingYear"] as const;
const rates = ["daf", "he", "leakage", "fnrb", "vintage"] as const;
/** Fuels that are weighed. */
const weighedFuels = kptFuels.filter((fuel) => fuel !== "electricity");

/** Fields for the programme's data in addition to its measurements. */
export function TermsFields({ draft, onChange, unreadable }: TermsProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const showsRareTerms = isOpen || rareTerms.some((name) => draft[name] !== "");
  const text = (name: (typeof numbers)[number] | (typeof rates)[number] | ParameterSymbol | "fnrbApproval") => (
    <TextInput
      key={name}
      label={t(`implementer.terms.${name}`)}
      value={draft[name]}
      inputMode={name === "fnrbApproval" ? "text" : "decimal"}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      error={unreadable.includes(name) ? t("implementer.terms.noNumber") : undefined}
    />
  );
  const select = (name: keyof typeof choices | "fuel", options: readonly { value: string; label: string }[]) => (
    <NativeSelect
      key={name}
      label={t(`implementer.terms.${name}`)}
      description={name === "valuePer" ? t("implementer.terms.valuePerHelp") : undefined}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      data={[{ value: "", label: t("implementer.terms.open") }, ...options]}
    />
  );
  const choice = <Name extends keyof typeof choices>(name: Name) =>
    select(
      name,
      choices[name].map((value) => ({ value, label: t(`implementer.terms.choice.${value}`) })),
    );
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {choice("method")}
        {select(
          "fuel",
          weighedFuels.map((value) => ({ value, label: t(`implementer.fuel.${value}`) })),
        )}
        {choice("fuelMass")}
        {choice("valuePer")}
        {choice("area")}
        {choice("baseline")}
        {readsMeters(draft.method) && choice("meteredFuel")}
        {[...(methodParameters[draft.method] ?? []), ...numbers, ...rates].map(text)}
        {draft.fnrb !== "" && text("fnrbApproval")}
      </SimpleGrid>
      {showsRareTerms ? (
        <WhenLoaded>
          <RareTermsFields draft={draft} onChange={onChange} unreadable={unreadable} />
        </WhenLoaded>
      ) : (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} onClick={() => setOpen(true)}>
          {t("implementer.terms.more")}
        </Button>
      )}
    </Stack>
  );
}
