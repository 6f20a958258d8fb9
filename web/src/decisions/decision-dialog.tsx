import { Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { stringifyExact } from "../../../wire/src/exact.ts";
import { sendOnce } from "../api/attempt.ts";
import { settled } from "../api/settled.ts";
import { Form } from "../forms/form.tsx";
import { useAmountText } from "../show/amount.tsx";
import { Dialog } from "../show/dialog.tsx";
import type { Act, Entered, Facts, FieldName } from "./act.ts";

type DecisionDialogProps = {
  act: Act<unknown>;
  id: string;
  facts: Facts;
  /** Called when the decision is in a block. */
  onDecided: () => void;
  onClose: () => void;
};

const nothing: Entered = { reason: "", code: "", registry: "", first: "", last: "" };
/** The API's patterns. */
const patterns = {
  code: /^[A-Za-z0-9][A-Za-z0-9 ._:-]{0,63}$/,
  registry: /^[A-Z]{3}\d{2}$/,
  first: /^[1-9]\d{0,19}$/,
  last: /^[1-9]\d{0,19}$/,
};

/** Confirm one decision: what is decided, what follows from it, and the fields that the route needs. */
export function DecisionDialog({ act, id, facts, onDecided, onClose }: DecisionDialogProps) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const { amount, tonnes } = facts;
  const values = {
    id,
    amount: amount === undefined ? "" : amountText({ value: amount }, "carbon"),
    tonnes: tonnes === undefined ? "" : amountText({ value: tonnes }, "tonnes"),
  };
  const form = useForm<Entered>({
    initialValues: nothing,
    validate: (given) => {
      const problems = act.fields.map((field) => [field, useable(field, trimmed(given), tonnes)] as const);
      return Object.fromEntries(
        problems.map(([field, problem]) => [field, problem === null ? null : t(`decisions.wrong.${problem}`, values)]),
      );
    },
  });
  const decide = useMutation({
    mutationFn: (given: Entered) => {
      const entered = trimmed(given);
      const what = stringifyExact(act.route.request(id, entered));
      return sendOnce(`decision.${act.name}.${id}`, what, (idempotencyKey) =>
        settled(
          () => act.route.send(id, entered, idempotencyKey),
          () => undefined,
        ),
      );
    },
    onSuccess: () => {
      onDecided();
      onClose();
    },
  });
  const isComplete = act.fields.every((field) => form.values[field].trim() !== "");
  const label = t(`decisions.acts.${act.name}.label`);
  return (
    <Dialog title={label} onClose={onClose}>
      <Form
        form={form}
        work={decide}
        submit={label}
        canSubmit={isComplete}
        onCancel={onClose}
        {...(act.isGrave && { color: "red" })}
      >
        <Text style={{ overflowWrap: "anywhere" }}>{t(`decisions.acts.${act.name}.what`, values)}</Text>
        <Text size="sm">{t(`decisions.acts.${act.name}.consequence`, values)}</Text>
        {act.fields.map((field, index) => {
          const shared = {
            label: t(`decisions.field.${field}`),
            description: t(`decisions.hint.${field}`, values),
            required: true,
            ...(index === 0 && { "data-autofocus": true }),
            ...form.getInputProps(field),
          };
          return field === "reason" ? (
            <Textarea key={field} {...shared} maxLength={act.longest ?? 500} rows={3} />
          ) : (
            <TextInput
              key={field}
              {...shared}
              autoComplete="off"
              spellCheck={false}
              {...(["first", "last"].includes(field) && { inputMode: "numeric" as const })}
            />
          );
        })}
      </Form>
    </Dialog>
  );
}

function trimmed(given: Entered): Entered {
  const texts = Object.entries(given).map(([field, text]) => [field, text.trim()]);
  return Object.fromEntries(texts) as Entered;
}

type Problem = "code" | "registry" | "serial" | "count";

/** What is wrong with a field, or null. A conversion of n tonnes needs n serials. */
function useable(field: FieldName, entered: Entered, tonnes: number | undefined): Problem | null {
  if (field === "reason") return null;
  const isSerial = field === "first" || field === "last";
  if (!patterns[field].test(entered[field])) return isSerial ? "serial" : field;
  if (field !== "last" || tonnes === undefined || !patterns.first.test(entered.first)) return null;
  return BigInt(entered.last) - BigInt(entered.first) + 1n === BigInt(tonnes) ? null : "count";
}
