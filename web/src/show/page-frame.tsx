import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";

type PageFrameProps = { title: string; lead?: string; actions?: ReactNode; children: ReactNode };

/** The frame of every page: its one heading, what the page is for, and its main actions. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t("common.name")}`;
  }, [title, t]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} flex="1 1 18rem">
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
