import { Card, SimpleGrid, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { pages } from "../routes.tsx";
import { useSession } from "../session/session.ts";
import { PageFrame } from "../show/page-frame.tsx";
import { areasOf } from "./navigation.tsx";

/** The pages of the session's areas as cards. */
export function HomePage() {
  const { t } = useTranslation();
  const session = useSession();
  const shown = areasOf(session).flatMap((area) => pages.filter((page) => page.area === area && page.nav));
  return (
    <PageFrame title={t("shell.welcome")} lead={t("shell.welcomeLead")}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }}>
        {shown.map(({ path, area, nav }) => {
          if (nav === undefined) return null;
          return (
            <Card key={path} component={Link} to={path} withBorder padding="md">
              <nav.icon size={26} stroke={1.5} aria-hidden />
              <Title order={2} size="h5" mt="sm">
                {t(nav.label)}
              </Title>
              <Text size="sm" c="dimmed">
                {t(`${area}.area`)}
              </Text>
            </Card>
          );
        })}
      </SimpleGrid>
    </PageFrame>
  );
}
