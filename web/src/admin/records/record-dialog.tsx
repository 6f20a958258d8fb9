import { Accordion, Checkbox, MultiSelect, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { type QueryKey, useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { sendOnce } from "../../api/attempt.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { digestHex } from "../../numbers/hex.ts";
import { Dialog } from "../../show/dialog.tsx";

type Option = { value: string; label: string };
type Texts = {
  label: string;
  hint?: string;
  placeholder?: string | ((texts: Record<string, string>) => string);
  required?: boolean;
};
/**
 * A field of the dialog. `more`: shown below "More settings". `when`: whether it is shown and counts, by the texts of the others; absent:
 * always. `check` returns what is wrong with a text.
 */
export type Field = Texts & { name: string; more?: boolean; when?: (texts: Record<string, string>) => boolean } & (
    | {
        /** `secret`: not shown while it is typed. */
        kind?: "text" | "date" | "number" | "secret";
        initial?: string;
        maxLength?: number;
        /** Names typed by people are checked for spelling; identifiers are not. */
        isName?: boolean;
        check?: (text: string, texts: Record<string, string>) => string | null;
      }
    | { kind: "choice"; options: readonly Option[]; initial?: string }
    | { kind: "choices"; options: readonly Option[]; initial?: string[] }
    | { kind: "list"; initial?: string[] }
    | { kind: "switch"; initial?: boolean }
  );
/** What was entered: trimmed texts, chosen or listed texts, and switches. */
export type Entered = {
  text: (name: string) => string;
  /** The text, or undefined when nothing was entered. */
  given: (name: string) => string | undefined;
  list: (name: string) => string[];
  isOn: (name: string) => boolean;
};
type Value = string | string[] | boolean;
type Values = Record<string, Value>;

type RecordDialogProps<Body> = {
  title: string;
  /** Shown above the fields. */
  lead?: ReactNode;
  submit?: string;
  fields: readonly Field[];
  /** Name of the kind of request, for its Idempotency-Key. */
  name: string;
  body: (entered: Entered) => Body;
  send: (body: Body, idempotencyKey: string) => Promise<unknown>;
  /** Lists to read again afterwards. */
  changes: QueryKey;
  onClose: () => void;
};

/** A dialog that makes a record: its fields, one request, and the list that is read again. */
export function RecordDialog<Body>(props: RecordDialogProps<Body>) {
  const { title, lead, fields, name, body, send, changes, onClose } = props;
  const { t } = useTranslation();
  const { submit = t("admin.records.submit") } = props;
  const form = useForm<Values>({
    initialValues: Object.fromEntries(fields.map((field) => [field.name, firstValue(field)])),
    validate: (values) => problemsOf(shownOf(fields, values), values),
  });
  const make = useMutation({
    mutationFn: async (values: Values) => {
      const request = body(entered(values));
      const text = JSON.stringify(request);
      // The browser keeps this text until the answer comes; a secret must not be in it.
      const what = fields.some(({ kind }) => kind === "secret") ? await digestHex(text) : text;
      await sendOnce(name, what, (idempotencyKey) => send(request, idempotencyKey));
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: changes });
      onClose();
    },
  });
  const shown = shownOf(fields, form.values);
  const isComplete = shown.every((field) => field.required !== true || isGiven(form.values[field.name]));
  const inputs = (those: readonly Field[]) =>
    those.map((field) => <Input key={field.name} field={field} form={form} isFirst={field === fields[0]} />);
  const more = shown.filter((field) => field.more === true);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} work={make} submit={submit} canSubmit={isComplete} onCancel={onClose}>
        {lead}
        {inputs(shown.filter((field) => field.more !== true))}
        {more.length > 0 && (
          <Accordion variant="contained">
            <Accordion.Item value="more">
              <Accordion.Control>{t("admin.records.more")}</Accordion.Control>
              <Accordion.Panel>
                <Stack gap="sm">{inputs(more)}</Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
      </Form>
    </Dialog>
  );
}

type InputProps = { field: Field; form: UseFormReturnType<Values>; isFirst: boolean };

function Input({ field, form, isFirst }: InputProps) {
  const { t } = useTranslation();
  const { label, hint, required = false } = field;
  const placeholder =
    typeof field.placeholder === "function" ? field.placeholder(textsOf(form.values)) : field.placeholder;
  const shared = {
    ...(isFirst ? { "data-autofocus": true } : {}),
    label,
    required,
    ...(hint === undefined ? {} : { description: hint }),
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  const input = form.getInputProps(field.name);
  switch (field.kind) {
    case "choice":
      return (
        <Select
          {...shared}
          {...input}
          data={[...field.options]}
          searchable
          clearable={!required}
          allowDeselect={!required}
        />
      );
    case "choices":
      return <MultiSelect {...shared} {...input} data={[...field.options]} searchable clearable />;
    case "list":
      return <TagsInput {...shared} placeholder={t("admin.records.listHint")} {...input} clearable />;
    case "switch":
      return <Checkbox {...shared} {...form.getInputProps(field.name, { type: "checkbox" })} />;
    default:
      return (
        <TextInput
          {...shared}
          {...(field.kind === "date" ? { type: "date" } : {})}
          {...(field.kind === "number" ? { inputMode: "decimal" } : {})}
          {...(field.kind === "secret" ? { type: "password", autoComplete: "off" } : {})}
          {...(field.maxLength === undefined ? {} : { maxLength: field.maxLength })}
          spellCheck={field.isName === true}
          {...input}
        />
      );
  }
}

function shownOf(fields: readonly Field[], values: Values): Field[] {
  const texts = textsOf(values);
  return fields.filter(({ when }) => when === undefined || when(texts));
}

function firstValue(field: Field): Value {
  if (field.kind === "switch") return field.initial ?? false;
  if (field.kind === "choices" || field.kind === "list") return field.initial ?? [];
  return field.initial ?? "";
}

function isGiven(value: Value | undefined | null): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return Array.isArray(value) ? value.length > 0 : value === true;
}

function textsOf(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : [])),
  );
}

function problemsOf(fields: readonly Field[], values: Values): Record<string, string> {
  const texts = textsOf(values);
  const problems: Record<string, string> = {};
  for (const field of fields) {
    if (!("check" in field) || field.check === undefined) continue;
    const problem = field.check(texts[field.name] ?? "", texts);
    if (problem !== null) problems[field.name] = problem;
  }
  return problems;
}

function entered(values: Values): Entered {
  const text = (name: string) => String(values[name] ?? "").trim();
  return {
    text,
    given: (name) => text(name) || undefined,
    list: (name) => (values[name] as string[]).map((each) => each.trim()),
    isOn: (name) => values[name] === true,
  };
}
