import { Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Said where a list or a page has nothing to show; children are what may be done about it. */
export function EmptyNotice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="md">
        <Text c="dimmed" ta="center">
          {text}
        </Text>
        {children}
      </Stack>
    </Paper>
  );
}
