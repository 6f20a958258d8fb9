import { Badge, Button, Checkbox, Group, Loader, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { canPush, subscribeDevice } from "./push-device.ts";

type Subscription = Schemas["Notification"];
type Topic = Subscription["topics"][number];
const queryKey = ["shell", "notifications"];
const refetch = () => queryClient.invalidateQueries({ queryKey });

/** Where this person is notified of what waits, and of what. */
export function NotificationsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const channels = useQuery({
    queryKey: [...queryKey, "channels"],
    queryFn: ({ signal }) => hearth.get("/v1/notifications/channels", { signal }),
  });
  const own = useQuery({
    queryKey: [...queryKey, "own"],
    queryFn: ({ signal }) => hearth.get("/v1/notifications", { signal }),
    // The address may be confirmed in another tab.
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === "unconfirmed") ? 5_000 : false),
  });
  const error = channels.error ?? own.error;
  return (
    <Dialog title={t("shell.notifications.title")} size="lg" onClose={onClose}>
      <Stack>
        <Text size="sm">{t("shell.notifications.lead")}</Text>
        {error !== null && <ErrorNotice error={error} />}
        {(channels.isPending || own.isPending) && <Loader aria-label={t("common.loading")} />}
        {own.data?.items.map((each) => (
          <SubscriptionCard key={each.id} subscription={each} topics={channels.data?.topics ?? each.topics} />
        ))}
        {channels.data !== undefined && <AddAddress channels={channels.data} />}
      </Stack>
    </Dialog>
  );
}

function SubscriptionCard({ subscription, topics }: { subscription: Subscription; topics: Topic[] }) {
  const { t } = useTranslation();
  const { id, channel, address, status } = subscription;
  const change = useMutation({
    mutationFn: (chosen: Topic[]) => hearth.patch("/v1/notifications/{id}", { path: { id }, body: { topics: chosen } }),
    onSettled: refetch,
  });
  const end = useMutation({
    mutationFn: () => hearth.delete("/v1/notifications/{id}", { path: { id } }),
    onSettled: refetch,
  });
  const color = { active: "teal", unconfirmed: "orange", failed: "red" }[status];
  const chosen = change.variables ?? subscription.topics;
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {channel === "push" ? t("shell.notifications.browser") : <span translate="no">{address}</span>}
          </Text>
          <Badge color={color} variant="light">
            {t(`shell.notifications.status.${status}`)}
          </Badge>
        </Group>
        {status !== "active" && <Text size="sm">{t(`shell.notifications.help.${status}`)}</Text>}
        <Topics topics={topics} chosen={chosen} onChange={(next) => next.length > 0 && change.mutate(next)} />
        {(change.error ?? end.error) !== null && <ErrorNotice error={change.error ?? end.error} />}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: "flex-start" }}
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          {t("shell.notifications.end")}
        </Button>
      </Stack>
    </Paper>
  );
}

type TopicsProps = { topics: Topic[]; chosen: Topic[]; onChange: (chosen: Topic[]) => void };

function Topics({ topics, chosen, onChange }: TopicsProps) {
  const { t } = useTranslation();
  return (
    <Checkbox.Group
      label={t("shell.notifications.topics")}
      value={chosen}
      onChange={(next) => onChange(next as Topic[])}
      size="sm"
    >
      <Group gap="sm" mt={4}>
        {topics.map((topic) => (
          <Checkbox key={topic} value={topic} size="sm" label={t(`shell.notifications.topic.${topic}`)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

function AddAddress({ channels }: { channels: Schemas["NotificationChannels"] }) {
  const { t, i18n } = useTranslation();
  const [topics, setTopics] = useState<Topic[]>(channels.topics);
  const form = useForm({ initialValues: { email: "" } });
  const language = channels.languages.find((each) => each === i18n.language) ?? "en";
  const email = useMutation({
    mutationFn: (values: { email: string }) =>
      hearth.post("/v1/notifications", {
        body: { channel: "email", email: values.email.trim(), topics, language },
      }),
    onSuccess: () => form.reset(),
    onSettled: refetch,
  });
  const device = useMutation({
    mutationFn: async () => {
      const push = await subscribeDevice(channels.push.publicKey);
      if (push === "refused") return push;
      await hearth.post("/v1/notifications", { body: { channel: "push", push, topics, language } });
      return "added" as const;
    },
    onSettled: refetch,
  });
  return (
    <Stack>
      <Title order={2} size="h5">
        {t("shell.notifications.add")}
      </Title>
      <Topics topics={channels.topics} chosen={topics} onChange={setTopics} />
      {channels.email ? (
        <Form
          form={form}
          work={email}
          submit={t("shell.notifications.byEmail")}
          canSubmit={form.values.email.trim() !== "" && topics.length > 0}
          inline
        >
          <TextInput
            label={t("shell.notifications.email")}
            type="email"
            autoComplete="email"
            w={{ base: "100%", xs: 260 }}
            {...form.getInputProps("email")}
          />
        </Form>
      ) : (
        <Text size="sm" c="dimmed">
          {t("shell.notifications.noEmail")}
        </Text>
      )}
      {canPush() ? (
        <Button
          variant="default"
          style={{ alignSelf: "flex-start" }}
          loading={device.isPending}
          disabled={topics.length === 0}
          onClick={() => device.mutate()}
        >
          {t("shell.notifications.byBrowser")}
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          {t("shell.notifications.noPush")}
        </Text>
      )}
      {device.data === "refused" && <Text size="sm">{t("shell.notifications.refused")}</Text>}
      {device.isError && <ErrorNotice error={device.error} />}
    </Stack>
  );
}
