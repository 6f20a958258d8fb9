import { Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Form } from "../../forms/form.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Screen, type Simulator, sendStep, startSimulator } from "./simulator.ts";

/** How often the page looks for new SMS. */
const lookMs = 2_000;

type Session = { sessionId: string; number: string; typed: string[]; screen: Screen };

/** A household's phone to try: its USSD menus and its SMS, without a provider. */
export function SimulatorPage() {
  const { t } = useTranslation();
  const [simulator, setSimulator] = useState<Simulator>();
  const [session, setSession] = useState<Session>();
  const form = useForm({
    initialValues: { number: "" },
    validate: {
      number: (number) => (/^\+[1-9]\d{6,14}$/.test(number.trim()) ? null : t("admin.simulator.wrongNumber")),
    },
  });
  const dial = useMutation({
    mutationFn: async ({ number }: { number: string }) => {
      const used = simulator ?? (await startSimulator());
      setSimulator(used);
      const start = { sessionId: crypto.randomUUID(), number: number.trim(), typed: [] };
      setSession({ ...start, screen: await sendStep(used, start) });
    },
  });
  return (
    <PageFrame title={t("nav.admin.simulator")} lead={t("admin.simulator.lead")}>
      <Form form={form} work={dial} submit={t("admin.simulator.dial")} maw={480}>
        <TextInput
          label={t("admin.simulator.number")}
          description={t("admin.simulator.numberHint")}
          placeholder="+260971234567"
          inputMode="tel"
          required
          {...form.getInputProps("number")}
        />
      </Form>
      {simulator !== undefined && session !== undefined && (
        <>
          <Phone key={session.sessionId} simulator={simulator} session={session} onStep={setSession} />
          <Messages simulator={simulator} number={session.number} />
        </>
      )}
    </PageFrame>
  );
}

type PhoneProps = { simulator: Simulator; session: Session; onStep: (session: Session) => void };

function Phone({ simulator, session, onStep }: PhoneProps) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { answer: "" } });
  const send = useMutation({
    mutationFn: async ({ answer }: { answer: string }) => {
      const next = { ...session, typed: [...session.typed, answer.trim()] };
      const screen = await sendStep(simulator, next);
      form.reset();
      onStep({ ...next, screen });
    },
  });
  return (
    <Paper withBorder p="md" radius="lg" maw={320}>
      <Stack>
        <Text ff="monospace" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} role="status" translate="no">
          {session.screen.text}
        </Text>
        {session.screen.ends ? (
          <Text size="sm" c="dimmed">
            {t("admin.simulator.over")}
          </Text>
        ) : (
          <Form form={form} work={send} submit={t("admin.simulator.send")} canSubmit={form.values.answer.trim() !== ""}>
            <TextInput
              label={t("admin.simulator.answer")}
              inputMode="numeric"
              autoComplete="off"
              maxLength={20}
              data-autofocus
              {...form.getInputProps("answer")}
            />
          </Form>
        )}
      </Stack>
    </Paper>
  );
}

function Messages({ simulator: { id }, number }: { simulator: Simulator; number: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["admin", "simulated-messages", id],
    queryFn: ({ signal }) => hearth.get("/v1/phones/gateways/{id}/messages", { path: { id }, signal }),
    refetchInterval: lookMs,
  });
  const items = (data?.items ?? []).filter(({ to }) => to === number);
  return (
    <Stack gap="xs" maw={480}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("admin.simulator.messages")}
        </Title>
        <Button size="compact-sm" variant="default" onClick={() => void refetch()}>
          {t("admin.simulator.look")}
        </Button>
      </Group>
      {error !== null && <ErrorNotice error={error} />}
      {items.length === 0 && <Text c="dimmed">{t("admin.simulator.noMessages")}</Text>}
      {items.map(({ id: messageId, text, at }) => (
        <Paper key={messageId} withBorder p="sm">
          <Text translate="no" style={{ overflowWrap: "anywhere" }}>
            {text}
          </Text>
          <Text size="sm" c="dimmed">
            <Moment at={at} />
          </Text>
        </Paper>
      ))}
    </Stack>
  );
}
