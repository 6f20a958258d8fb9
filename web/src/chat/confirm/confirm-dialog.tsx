import type { ConfirmationRequest } from "@hearth/oracles-client-sdk";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../show/dialog.tsx";
import classes from "../chat.module.css";
import { literal } from "../components/literal.ts";
import { confirmSentence, isTainted } from "./confirm-sentence.ts";

type ConfirmProps = { request: ConfirmationRequest; onAnswer: (confirmed: boolean) => void };

/** Ask the user whether a tool may be called, and show its exact arguments. */
export function ConfirmDialog({ request, onAnswer }: ConfirmProps) {
  const { t } = useTranslation();
  const { toolName, summary, args } = request;
  const known = confirmSentence(request);
  return (
    <Dialog title={t("chat.confirm.title")} onClose={() => onAnswer(false)}>
      <Stack>
        <Text>
          {known === undefined ? summary : String(t(`chat.confirm.tools.${known.sentence}`, known.values as never))}
        </Text>
        {isTainted(request) && (
          <Alert color="orange" role="alert">
            {t("chat.confirm.tainted")}
          </Alert>
        )}
        <Text size="sm" ff="monospace" fw={600}>
          {toolName}
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
        <section className={classes.literal} tabIndex={0} aria-label={t("chat.call.arguments")}>
          {literal(args)}
        </section>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
            {t("chat.confirm.refuse")}
          </Button>
          <Button color="red" onClick={() => onAnswer(true)}>
            {t("chat.confirm.allow")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
