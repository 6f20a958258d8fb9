import { Fieldset, Select, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import type { KptMoisture } from "../../../../wire/src/kpt-visits.ts";
import type { KptDraft } from "./kpt-draft.ts";
import { percentOf, readingsInAll } from "./visits-draft.ts";

type FuelProps = { form: UseFormReturnType<KptDraft>; index: number };

/** What the meter shows: percent of the wet or of the dry mass. Nothing is chosen beforehand, since the two differ a lot. */
export function MoistureBasis({ form, index }: FuelProps) {
  const { t } = useTranslation();
  return (
    <Select
      size="xs"
      label={t("implementer.kpt.basis")}
      data={(["wet", "dry"] as const).map((value) => ({ value, label: t(`implementer.kpt.basisOf.${value}`) }))}
      value={form.values.fuels[index]?.basis ?? null}
      onChange={(value) => form.setFieldValue(`fuels.${index}.basis`, value as KptMoisture["basis"])}
      allowDeselect={false}
      maw={320}
    />
  );
}

/** Fields for the nine readings of a fuel's moisture on one day: three pieces at three points each. */
export function MoistureReadings({ form, index, day }: FuelProps & { day: number }) {
  const { t } = useTranslation();
  const readings = form.values.fuels[index]?.days[day]?.readings ?? Array<string>(readingsInAll).fill("");
  const problem = (text: string) => {
    const hundredths = percentOf(text);
    const isPercent = hundredths !== undefined && hundredths > 0n && hundredths < 10_000n;
    return text === "" || isPercent ? undefined : t("implementer.kpt.notPercent");
  };
  const enter = (i: number, text: string) =>
    form.setFieldValue(`fuels.${index}.days.${day}.readings`, [
      ...readings.slice(0, i),
      text,
      ...readings.slice(i + 1),
    ]);
  return (
    <Fieldset variant="unstyled" legend={t("implementer.kpt.moisture", { day: day + 1 })}>
      <SimpleGrid cols={3} spacing="xs">
        {readings.map((text, i) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the reading
            key={i}
            size="xs"
            label={t("implementer.kpt.reading", { piece: Math.floor(i / 3) + 1, point: (i % 3) + 1 })}
            inputMode="decimal"
            autoComplete="off"
            value={text}
            onChange={({ currentTarget }) => enter(i, currentTarget.value)}
            error={problem(text)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
