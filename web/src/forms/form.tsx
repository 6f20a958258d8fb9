import { Button, Group, Stack, type StackProps } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";

type FormProps<Values> = {
  /** From `useForm`; its `validate` reports each field's problem before the request. */
  form: { onSubmit: (handle: (values: Values) => void) => (event?: FormEvent<HTMLFormElement>) => void };
  /** Submits the values, usually a mutation. Its error is shown above the button. */
  work: { mutate: (values: Values) => void; isPending: boolean; error: unknown };
  submit: string;
  /** Red for actions that cannot be undone. */
  color?: string;
  /** False while the values are incomplete. */
  canSubmit?: boolean;
  /** Adds a cancel button, as in a dialog. */
  onCancel?: () => void;
  /** Next to the submit button; instead of it with `ownSubmit`. */
  actions?: ReactNode;
  ownSubmit?: boolean;
  /** Fields and button on one line. */
  inline?: boolean;
  variant?: "default" | "filled";
  maw?: StackProps["maw"];
  gap?: StackProps["gap"];
  children: ReactNode;
};

/** A form: fields, error, and buttons. */
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
