import { Box, NavLink, Text } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Area, areas } from "../areas.ts";
import type { Page } from "../page.ts";
import { type Role, type Session, useSession } from "../session/session.ts";

const everybody: readonly Role[] = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"];

/** Roles that use each area. This only shortens the navigation; the API enforces access. */
const workers: Record<Area, readonly Role[]> = {
  regulator: everybody,
  supplier: ["admin", "supplier"],
  implementer: ["admin", "implementer", "integrator"],
  files: everybody,
  chat: everybody,
  admin: ["admin"],
};

/** The areas of a session, the role's own area first. */
export function areasOf({ key }: Session): Area[] {
  const role = key?.holder.role;
  // A wallet of a household, or without a role, gets an integrator's role with almost no rights.
  const isReader = role === "integrator" && key?.standing !== undefined;
  if (role === undefined || isReader) return areas.filter((area) => workers[area] === everybody);
  const own = areas.filter((area) => workers[area].includes(role));
  return [...own.filter((area) => area === role), ...own.filter((area) => area !== role)];
}

/** The pages of the session's areas. */
export function Navigation({ pages, onFollow }: { pages: Page[]; onFollow: () => void }) {
  const { t } = useTranslation();
  const session = useSession();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const shown = areasOf(session).map((area) => ({
    area,
    items: pages.filter((page) => page.area === area && page.nav),
  }));
  return (
    <Box style={{ overflowY: "auto", scrollbarWidth: "thin" }}>
      {shown
        .filter(({ items }) => items.length > 0)
        .map(({ area, items }) => (
          <section key={area} aria-labelledby={`area-${area}`}>
            <Text id={`area-${area}`} size="xs" fw={700} c="dimmed" tt="uppercase" mt="sm" mb={4} px="sm">
              {t(`nav.${area}.area`)}
            </Text>
            {items.map(({ path, nav }) => {
              if (nav === undefined) return null;
              const isActive = pathname === path || pathname.startsWith(`${path}/`);
              return (
                <NavLink
                  key={path}
                  component={Link}
                  to={path}
                  active={isActive}
                  aria-current={isActive ? "page" : undefined}
                  label={t(nav.label)}
                  leftSection={<nav.icon size={18} stroke={1.6} aria-hidden />}
                  onClick={onFollow}
                />
              );
            })}
          </section>
        ))}
    </Box>
  );
}
