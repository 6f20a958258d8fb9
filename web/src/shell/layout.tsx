import { ActionIcon, Anchor, AppShell, Burger, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMessageCircle } from "@tabler/icons-react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { changePanel, panelCovers, usePanel } from "../chat/panel-store.ts";
import { withTexts } from "../i18n/with-texts.ts";
import type { Page } from "../page.ts";
import { useSession } from "../session/session.ts";
import { Loading } from "../show/loading.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import { AccountMenu } from "./account-menu.tsx";
import classes from "./layout.module.css";
import { Navigation } from "./navigation.tsx";
import { Preferences } from "./preferences.tsx";
import { SearchButton } from "./search/search-button.tsx";

// Loaded only with a wallet, to keep the first load small.
const WalletNotice = lazy(async () => ({ default: (await import("./wallet-notice.tsx")).WalletNotice }));

const OraclePanel = lazy(async () => ({
  default: (await withTexts("chat", () => import("../chat/oracle-panel.tsx"))).OraclePanel,
}));

/** Header, navigation, page, and the oracle's panel when it is open. */
export function Layout({ pages }: { pages: Page[] }) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const [isOpen, { toggle, close }] = useDisclosure();
  // The oracle's page needs no second conversation next to it.
  const isChat = useRouterState({ select: ({ location }) => location.pathname === "/chat" });
  const panel = usePanel();
  const hasPanel = panel.isOpen && !isChat;
  const follow = () => {
    close();
    if (panelCovers()) changePanel({ isOpen: false });
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      aside={{ width: 400, breakpoint: "md", collapsed: { mobile: !hasPanel, desktop: !hasPanel } }}
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
            <Link to="/" className={classes.brand} aria-label={t("common.name")}>
              <img src="/console/hearth.svg" alt="" width={28} height={28} />
              <Text span fw={700} visibleFrom="xs">
                {t("common.name")}
              </Text>
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap">
            <SearchButton />
            {!isChat && (
              <ActionIcon
                variant={hasPanel ? "light" : "subtle"}
                color="gray"
                size="lg"
                // So that web/early.ts leaves it out, too.
                data-not-on="chat"
                aria-label={t("shell.oracle.open")}
                aria-expanded={hasPanel}
                onClick={() => changePanel({ isOpen: !hasPanel })}
              >
                <IconMessageCircle size={20} stroke={1.6} />
              </ActionIcon>
            )}
            <Preferences />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" zIndex={101} aria-label={t("shell.navigation")}>
        <Navigation pages={pages} onFollow={follow} />
      </AppShell.Navbar>
      {hasPanel && (
        <AppShell.Aside aria-label={t("shell.oracle.title")}>
          <WhenLoaded>
            <OraclePanel />
          </WhenLoaded>
        </AppShell.Aside>
      )}
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        {wallet !== undefined && (
          <WhenLoaded fallback={null}>
            <WalletNotice />
          </WhenLoaded>
        )}
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}
