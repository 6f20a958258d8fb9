import { Center, Group, Paper, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Preferences } from "./preferences.tsx";

/** A page without a session: preferences, and a card with the logo and a title. */
export function EntryCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main>
      <Group justify="flex-end" p="sm">
        <Preferences />
      </Group>
      <Center px="md" pb="xl">
        <Paper withBorder shadow="sm" p="xl" w="100%" maw={440}>
          <Stack>
            <Group gap="sm">
              <img src="/console/hearth.svg" alt="" width={36} height={36} />
              <Title order={1} size="h2">
                {title}
              </Title>
            </Group>
            {children}
          </Stack>
        </Paper>
      </Center>
    </main>
  );
}
