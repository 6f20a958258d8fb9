import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";
import { type Field, RecordDialog } from "../../admin/records/record-dialog.tsx";
import { hearth } from "../../api/client.ts";
import { readLater } from "../../api/read-later.ts";
import { isDay, today } from "../../implementer/days.ts";
import {
  choicesOf,
  hasPart,
  hasValue,
  isNumber,
  type KeyPart,
  kindIds,
  type kinds,
  options,
  parameterOf,
  unitOf,
} from "./parameter-kinds.ts";

const index = ["index"];

/** Records a parameter of any kind: the fields follow from the kind. */
export function ParameterDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("acts.parameter.title")}
      fields={useFields()}
      name="regulator.parameter"
      body={({ text }) => parameterOf(text)}
      send={async (body, idempotencyKey) => {
        await hearth.post("/v1/parameters", { body, idempotencyKey });
        readLater(index);
      }}
      changes={index}
      onClose={onClose}
    />
  );
}

function useFields(): Field[] {
  const { t } = useTranslation();
  const part = (name: KeyPart) => ({
    name,
    required: name !== "onlyArea",
    label: t(`acts.parameter.part.${name}`),
    when: ({ kind = "" }: Record<string, string>) => hasPart(kind, name),
  });
  const matches = (pattern: RegExp, problem: ParseKeys) => (text: string) => (pattern.test(text) ? null : t(problem));
  const country = matches(/^[a-z]{3}$/i, "acts.parameter.wrong.area");
  const fuels = (names: readonly (typeof options.fuel)[number][]) =>
    names.map((value) => ({ value, label: t(`implementer.fuel.${value}`) }));
  const choices = kindIds.flatMap((kind): Field[] => {
    const words = choicesOf(kind);
    if (words === undefined) return [];
    const labels =
      kind === "plan-fuel"
        ? fuels(words as typeof options.fuel)
        : words.map((value) => ({ value, label: t(choiceText(value)) }));
    return [
      {
        name: `choice ${kind}`,
        kind: "choice",
        label: t("acts.parameter.choice"),
        options: labels,
        required: true,
        when: (texts) => texts.kind === kind,
      },
    ];
  });
  return [
    {
      name: "kind",
      kind: "choice",
      label: t("acts.parameter.kind"),
      options: kindIds.map((value) => ({ value, label: t(`acts.parameter.kinds.${value}`) })),
      required: true,
    },
    { ...part("area"), placeholder: "ZMB", hint: t("acts.parameter.areaHint"), check: country },
    { ...part("fuel"), kind: "choice", options: fuels(options.fuel) },
    { ...part("solidFuel"), kind: "choice", options: fuels(options.solidFuel) },
    {
      ...part("method"),
      kind: "choice",
      options: options.method.map((value) => ({ value, label: value })),
    },
    { ...part("symbol"), placeholder: "SC_b", hint: t("acts.parameter.symbolHint") },
    {
      ...part("minimum"),
      kind: "choice",
      options: options.minimum.map((value) => ({ value, label: t(`acts.parameter.minimums.${value}`) })),
    },
    {
      ...part("onlyArea"),
      placeholder: "KEN",
      hint: t("acts.parameter.onlyAreaHint"),
      check: (text) => (text === "" ? null : country(text)),
    },
    { ...part("plan"), placeholder: "PLAN-1", maxLength: 64 },
    { ...part("party"), placeholder: "ZMB", check: country },
    { ...part("year"), placeholder: "2030", check: matches(/^20\d\d$/, "acts.parameter.wrong.year") },
    { ...part("approach"), placeholder: "CA0001", check: matches(/^CA\d{4}$/i, "acts.parameter.wrong.approach") },
    {
      ...part("phase"),
      kind: "choice",
      options: options.phase.map((value) => ({ value, label: t(`acts.parameter.phases.${value}`) })),
    },
    { ...part("registry"), placeholder: "Gold Standard", hint: t("acts.parameter.registryHint"), maxLength: 50 },
    ...kindIds.filter(hasValue).map(
      (kind): Field => ({
        name: "value",
        kind: "number",
        label: valueLabel(t("acts.parameter.value"), kind),
        ...(kind === "method-minimum" ? { hint: t("acts.parameter.minimumHint") } : {}),
        required: true,
        when: (texts) => texts.kind === kind,
        check: (text) => (isNumber(text) ? null : t("acts.parameter.wrong.number")),
      }),
    ),
    ...choices,
    {
      name: "validFrom",
      kind: "date",
      label: t("acts.parameter.from"),
      initial: today(),
      required: true,
      check: (text) => (isDay(text) ? null : t("acts.parameter.wrong.day")),
    },
    {
      name: "validTo",
      kind: "date",
      label: t("acts.parameter.to"),
      hint: t("acts.parameter.toHint"),
      check: (text, { validFrom = "" }) =>
        text !== "" && text < validFrom ? t("acts.parameter.wrong.reversed") : null,
    },
    {
      name: "source",
      label: t("acts.parameter.source"),
      hint: t("acts.parameter.sourceHint"),
      required: true,
      maxLength: 512,
      isName: true,
    },
  ];
}

/** The key of a choice's text; dots divide keys. */
function choiceText(choice: string) {
  return `acts.parameter.choices.${choice.replace(".", "_") as "any"}` as const;
}

function valueLabel(label: string, kind: keyof typeof kinds): string {
  const unit = unitOf(kind);
  return unit === undefined ? label : `${label} (${unit})`;
}
