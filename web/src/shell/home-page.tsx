import { Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Page } from "../page.ts";
import { pages } from "../pages.ts";
import { useSession } from "../session/session.ts";
import { PageFrame } from "../show/page-frame.tsx";
import { FirstSteps } from "./first-steps.tsx";
import classes from "./home-page.module.css";
import { areasOf } from "./navigation.tsx";

/** The pages of the session's areas as cards, the role's area first. */
export function HomePage() {
  const { t } = useTranslation();
  const shown = areasOf(useSession()).map((area) => ({
    area,
    cards: pages.filter((page) => page.area === area && page.nav),
  }));
  return (
    <PageFrame title={t("shell.welcome")} lead={t("shell.welcomeLead")}>
      <FirstSteps />
      {shown.map(({ area, cards }) => (
        <Stack key={area} gap="xs">
          <Title order={2} size="h5">
            {t(`${area}.area`)}
          </Title>
          <SimpleGrid cols={{ base: 2, md: 3, lg: 4 }} spacing="xs">
            {cards.map((page) => (
              <PageCard key={page.path} {...page} />
            ))}
          </SimpleGrid>
        </Stack>
      ))}
    </PageFrame>
  );
}

function PageCard({ path, nav }: Page) {
  const { t } = useTranslation();
  if (nav === undefined) return null;
  return (
    <Card component={Link} to={path} withBorder padding="sm" className={classes.card}>
      <Group gap="sm" wrap="nowrap">
        <nav.icon size={24} stroke={1.5} aria-hidden className={classes.icon} />
        <Text fw={500} size="sm" className={classes.name}>
          {t(nav.label)}
        </Text>
      </Group>
    </Card>
  );
}
