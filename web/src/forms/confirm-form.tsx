import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { InputHTMLAttributes, ReactNode } from "react";
import { Form } from "./form.tsx";

type ConfirmFormProps = {
  work: { mutate: () => void; isPending: boolean; error: unknown };
  submit: string;
  color?: string;
  canSubmit?: boolean;
  onCancel: () => void;
  /** Given: the user must type this text first. */
  typed?: { text: string; label: string; inputMode?: InputHTMLAttributes<HTMLInputElement>["inputMode"] };
  children: ReactNode;
};

/** Confirmation of an action that cannot be undone. */
export function ConfirmForm({ work, typed, canSubmit = true, color = "red", children, ...props }: ConfirmFormProps) {
  const form = useForm({ initialValues: { text: "" } });
  const isTyped = typed === undefined || form.values.text.trim() === typed.text;
  const { isPending, error } = work;
  return (
    <Form
      {...props}
      form={form}
      work={{ mutate: () => work.mutate(), isPending, error }}
      color={color}
      canSubmit={canSubmit && isTyped}
    >
      {children}
      {typed !== undefined && (
        <TextInput
          label={typed.label}
          autoComplete="off"
          data-autofocus
          {...(typed.inputMode === undefined ? {} : { inputMode: typed.inputMode })}
          {...form.getInputProps("text")}
        />
      )}
    </Form>
  );
}
