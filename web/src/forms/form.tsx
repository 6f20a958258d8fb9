import { Button, Group, Stack, type StackProps } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";

type FormProps<Values> = {
  /** From `useForm`; its `validate` names each field's problem before anything is sent. */
  form: { onSubmit: (handle: (values: Values) => void) => (event?: FormEvent<HTMLFormElement>) => void };
  /** Takes the values, such as a mutation. Its error is shown above the button. */
  work: { mutate: (values: Values) => void; isPending: boolean; error: unknown };
  submit: string;
  /** Red for what cannot be undone. */
  color?: string;
  /** False: the values are not complete yet. */
  canSubmit?: boolean;
  /** Adds a cancel button, as a dialog has. */
  onCancel?: () => void;
  /** Beside the submit button; in place of it with `ownSubmit`. */
  actions?: ReactNode;
  ownSubmit?: boolean;
  /** Fields and button on one line. */
  inline?: boolean;
  variant?: "default" | "filled";
  maw?: StackProps["maw"];
  gap?: StackProps["gap"];
  children: ReactNode;
};

/** A form: its fields, what went wrong, and its buttons. */
export function Form<Values>({ form, work, children, inline = false, maw, gap, ...buttons }: FormProps<Values>) {
  const problem = work.error !== null && work.error !== undefined && <ErrorNotice error={work.error} />;
  const row = <Buttons {...buttons} inline={inline} isPending={work.isPending} />;
  return (
    <form onSubmit={form.onSubmit((values) => work.mutate(values))} noValidate>
      <Stack {...(maw === undefined ? {} : { maw })} {...(gap === undefined ? {} : { gap })}>
        {inline ? (
          <Group align="flex-end" gap="sm">
            {children}
            {row}
          </Group>
        ) : (
          children
        )}
        {problem}
        {!inline && row}
      </Stack>
    </form>
  );
}

type ButtonsProps = Pick<
  FormProps<never>,
  "submit" | "color" | "canSubmit" | "onCancel" | "actions" | "ownSubmit" | "variant"
> & { inline: boolean; isPending: boolean };

function Buttons({ submit, color, canSubmit = true, onCancel, actions, ownSubmit, variant, ...state }: ButtonsProps) {
  const { t } = useTranslation();
  const button = !ownSubmit && (
    <Button
      type="submit"
      loading={state.isPending}
      disabled={!canSubmit}
      {...(color === undefined ? {} : { color })}
      {...(variant === undefined ? {} : { variant })}
    >
      {submit}
    </Button>
  );
  if (state.inline) {
    return (
      <>
        {button}
        {actions}
      </>
    );
  }
  return (
    <Group justify={onCancel === undefined ? "flex-start" : "flex-end"}>
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      )}
      {button}
      {actions}
    </Group>
  );
}
