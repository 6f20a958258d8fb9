import { Alert, Button, Divider, Tabs, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.ts";
import { startGuestSession } from "../session/wallet.ts";
import { DemoLinks } from "./demo-links.tsx";
import { EntryCard } from "./entry-card.tsx";
import { KeyForm } from "./key-form.tsx";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { WalletForm } from "./wallet-form.tsx";

/** The page shown without a session. */
export function SignInPage() {
  const { t } = useTranslation();
  const { expired, ended } = useSession();
  return (
    <EntryCard title={t("common.name")}>
      <Text c="dimmed">{t("shell.signIn.lead")}</Text>
      {expired && <Alert color="orange">{t("shell.signIn.expired")}</Alert>}
      {ended && <Alert color="orange">{t(`shell.signIn.ended.${ended}`)}</Alert>}
      <DemoLinks />
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
      <PasskeySignIn />
      <Button variant="subtle" onClick={() => void startGuestSession()}>
        {t("shell.signIn.guest")}
      </Button>
    </EntryCard>
  );
}
