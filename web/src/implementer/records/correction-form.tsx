import { Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { mostPhotoBytes, PhotoInput } from "./photo-input.tsx";

type Submission = Schemas["Submission"];
type Field = Schemas["SubmissionDetail"]["fields"][number];
type CorrectionFormProps = {
  record: Schemas["SubmissionDetail"];
  /** Called with the correction, which may be refused again. */
  onCorrected: (correction: Submission) => void;
};

type Values = { answers: string[]; photos: (File | null)[] };

/** The answers and photos of a refused record, to be changed. */
export function CorrectionForm({ record, onCorrected }: CorrectionFormProps) {
  const { t } = useTranslation();
  const fields = record.fields.filter((field) => !isPhoto(field));
  const photoFields = record.fields.filter(isPhoto);
  const form = useForm<Values>({
    initialValues: { answers: fields.map(({ answer }) => answer ?? ""), photos: photoFields.map(() => null) },
  });
  // A correction that is stored is written as it is, or not at all.
  const isStored = record.status === "received";
  const correct = useMutation({
    mutationFn: async ({ answers, photos }: Values) =>
      hearth.post("/v1/odk/submissions/{id}/correction", {
        path: { id: record.id },
        body: { answers: changesOf(fields, answers), files: await storePhotos(record.id, photoFields, photos) },
      }),
    onSuccess: async (correction) => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "records"] });
      onCorrected(correction);
    },
  });
  const { answers, photos } = form.values;
  const hasChanged = changesOf(fields, answers).length > 0 || photos.some((photo) => photo !== null);
  const isBroken = (field: Field) => record.details.some(({ path }) => path === field.path);
  return (
    <Form
      form={form}
      work={correct}
      submit={t(`implementer.records.${hasChanged ? "check" : "checkAgain"}`)}
      variant={hasChanged ? "filled" : "default"}
      canSubmit={photos.every((photo) => photo === null || photo.size <= mostPhotoBytes)}
    >
      <Text size="sm">{t(`implementer.records.${isStored ? "stored" : "correctHint"}`)}</Text>
      {!isStored && (
        <>
          <Stack gap="sm" translate="no" lang="en">
            {fields.map((field, i) => (
              <AnswerInput
                key={field.path}
                field={field}
                isBroken={isBroken(field)}
                value={answers[i] ?? ""}
                onChange={(answer) => form.setFieldValue(`answers.${i}`, answer)}
              />
            ))}
          </Stack>
          {photoFields.map((field, i) => (
            <PhotoInput
              key={field.path}
              field={field}
              isBroken={isBroken(field)}
              photo={photos[i] ?? null}
              onChange={(photo) => form.setFieldValue(`photos.${i}`, photo)}
            />
          ))}
        </>
      )}
    </Form>
  );
}

const isPhoto = ({ kind }: Field) => kind === "photo" || kind === "signature";

/** Store the chosen photos, one after the other: a phone's network is slow. @returns how the correction names them */
async function storePhotos(id: string, fields: readonly Field[], photos: readonly (File | null)[]) {
  const stored: { path: string; sha256: string }[] = [];
  for (const [i, { path }] of fields.entries()) {
    const body = photos[i] ?? null;
    if (body === null) continue;
    const { sha256 } = await hearth.post("/v1/odk/submissions/{id}/correction/files", {
      path: { id },
      body,
      contentType: "application/octet-stream",
    });
    stored.push({ path, sha256 });
  }
  return stored;
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
