import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

type PageFrameProps = { title: string; lead?: string; actions?: ReactNode; children: ReactNode };

/** The frame of every page: its heading, its purpose, and its main actions. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t("common.name")}`;
  }, [title, t]);
  const heading = useHeadingFocus();
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} flex="1 1 18rem">
          <Title order={1} size="h2" ref={heading} tabIndex={-1} style={{ outline: "none", overflowWrap: "anywhere" }}>
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

/** The last announced page; undefined for the first, which the browser announces. */
let announced: string | undefined;

/**
 * Move the focus from the link to the new page's heading, so that it is read out and Tab continues there. Leave a focus
 * that is in use, such as in a field of the page or in the oracle's panel.
 */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { pathname } = window.location;
    if (announced === pathname) return;
    const isFirst = announced === undefined;
    announced = pathname;
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement?.closest("nav, header") != null;
    if (!isFirst && isFree) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}
