import { ActionIcon, Anchor, Burger, Group, Text } from "@mantine/core";
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

/** With this class of react-remove-scroll, a fixed element does not move when an open dialog hides the scroll bar. */
const keepsPlace = "right-scroll-bar-position";

/** Header, navigation, page, and the oracle's panel when it is open. Mantine's AppShell does the same with 7 kB of script. */
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
    <div className={classes.frame} data-panel={hasPanel || undefined}>
      <Anchor href="#content" className={classes.skip}>
        {t("shell.skip")}
      </Anchor>
      <header className={`${classes.header} ${keepsPlace}`} data-print="no">
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
      </header>
      <nav
        className={classes.navbar}
        data-open={isOpen || undefined}
        data-print="no"
        aria-label={t("shell.navigation")}
      >
        <Navigation pages={pages} onFollow={follow} />
      </nav>
      {hasPanel && (
        <aside className={`${classes.aside} ${keepsPlace}`} data-print="no" aria-label={t("shell.oracle.title")}>
          <WhenLoaded>
            <OraclePanel />
          </WhenLoaded>
        </aside>
      )}
      <main id="content" tabIndex={-1} className={classes.main}>
        {wallet !== undefined && (
          <WhenLoaded fallback={null}>
            <WalletNotice />
          </WhenLoaded>
        )}
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}
