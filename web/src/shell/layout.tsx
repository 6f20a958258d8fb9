import { Anchor, AppShell, Burger, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Page } from "../page.ts";
import { Loading } from "../show/loading.tsx";
import { AccountMenu } from "./account-menu.tsx";
import classes from "./layout.module.css";
import { Navigation } from "./navigation.tsx";
import { Preferences } from "./preferences.tsx";

/** Header, navigation and the page. */
export function Layout({ pages }: { pages: Page[] }) {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <Anchor href="#content" className={classes.skip}>
        {t("shell.skip")}
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t("shell.menu")}
              aria-expanded={isOpen}
            />
            <Link to="/" className={classes.brand}>
              <img src="/console/hearth.svg" alt="" width={28} height={28} />
              <Text span fw={700}>
                {t("common.name")}
              </Text>
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap">
            <Preferences />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t("shell.navigation")}>
        <Navigation pages={pages} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}
