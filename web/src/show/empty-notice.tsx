import { Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Shown when a list or page is empty; the children offer what to do next. */
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
