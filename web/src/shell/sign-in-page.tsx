import { Alert, Button, Center, Divider, Group, Paper, Stack, Tabs, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.ts";
import { startGuestSession } from "../session/wallet.ts";
import { KeyForm } from "./key-form.tsx";
import { Preferences } from "./preferences.tsx";
import { WalletForm } from "./wallet-form.tsx";

/** The page shown without a session. */
export function SignInPage() {
  const { t } = useTranslation();
  const { expired, ended } = useSession();
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
                {t("common.name")}
              </Title>
            </Group>
            <Text c="dimmed">{t("shell.signIn.lead")}</Text>
            {expired && <Alert color="orange">{t("shell.signIn.expired")}</Alert>}
            {ended && <Alert color="orange">{t(`shell.signIn.ended.${ended}`)}</Alert>}
            <Tabs defaultValue={ended ? "wallet" : "key"} keepMounted={false}>
              <Tabs.List grow>
                <Tabs.Tab value="key">{t("shell.signIn.withKey")}</Tabs.Tab>
                <Tabs.Tab value="wallet">{t("shell.signIn.withWallet")}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="key" pt="md">
                <KeyForm />
              </Tabs.Panel>
              <Tabs.Panel value="wallet" pt="md">
                <WalletForm />
              </Tabs.Panel>
            </Tabs>
            <Divider />
            <Button variant="subtle" onClick={() => void startGuestSession()}>
              {t("shell.signIn.guest")}
            </Button>
          </Stack>
        </Paper>
      </Center>
    </main>
  );
}
