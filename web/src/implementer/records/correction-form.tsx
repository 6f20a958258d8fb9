import { Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";

type Submission = Schemas["Submission"];
type Field = Schemas["SubmissionDetail"]["fields"][number];
type CorrectionFormProps = {
  record: Schemas["SubmissionDetail"];
  /** Called with the correction, which may be refused again. */
  onCorrected: (correction: Submission) => void;
};

/** The answers of a refused record, to be changed. Photos stay as they are. */
export function CorrectionForm({ record, onCorrected }: CorrectionFormProps) {
  const { t } = useTranslation();
  const fields = record.fields.filter(({ kind }) => kind !== "photo" && kind !== "signature");
  const form = useForm({ initialValues: { answers: fields.map(({ answer }) => answer ?? "") } });
  // A correction that is stored is written as it is, or not at all.
  const isStored = record.status === "received";
  const correct = useMutation({
    mutationFn: ({ answers }: { answers: string[] }) =>
      hearth.post("/v1/odk/submissions/{id}/correction", {
        path: { id: record.id },
        body: { answers: changesOf(fields, answers) },
      }),
    onSuccess: async (correction) => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "records"] });
      onCorrected(correction);
    },
  });
  const hasChanged = changesOf(fields, form.values.answers).length > 0;
  return (
    <Form
      form={form}
      work={correct}
      submit={t(`implementer.records.${hasChanged ? "check" : "checkAgain"}`)}
      variant={hasChanged ? "filled" : "default"}
    >
      <Text size="sm">{t(`implementer.records.${isStored ? "stored" : "correctHint"}`)}</Text>
      {!isStored && (
        <Stack gap="sm" translate="no" lang="en">
          {fields.map((field, i) => (
            <AnswerInput
              key={field.path}
              field={field}
              isBroken={record.details.some(({ path }) => path === field.path)}
              value={form.values.answers[i] ?? ""}
              onChange={(answer) => form.setFieldValue(`answers.${i}`, answer)}
            />
          ))}
        </Stack>
      )}
    </Form>
  );
}

function changesOf(fields: readonly Field[], answers: readonly string[]): { path: string; answer: string }[] {
  return fields.flatMap(({ path, answer }, i) => {
    const now = (answers[i] ?? "").trim();
    return now === (answer ?? "") ? [] : [{ path, answer: now }];
  });
}

type AnswerInputProps = { field: Field; isBroken: boolean; value: string; onChange: (answer: string) => void };

function AnswerInput({ field: { label, kind, choices, required }, isBroken, value, onChange }: AnswerInputProps) {
  if (choices !== null) {
    return (
      <Select
        label={label}
        data={choices.map(({ name, label: text }) => ({ value: name, label: text }))}
        required={required}
        clearable={!required}
        error={isBroken}
        value={value === "" ? null : value}
        onChange={(chosen) => onChange(chosen ?? "")}
      />
    );
  }
  const isNumber = kind === "integer" || kind === "decimal";
  return (
    <TextInput
      label={label}
      required={required}
      error={isBroken}
      spellCheck={false}
      {...(isNumber && { inputMode: "decimal" as const })}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
