import { Alert, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../wire/src/errors.ts";
import { clientWith } from "../api/client.ts";

const visitor = clientWith({ key: null });

/** The demo's open invitation links. Null: this system is not one person's own, so it never shows any. */
export function useDemoLinks() {
  return useQuery({
    queryKey: ["shell", "demo-links"],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      try {
        return (await visitor.get("/v1/dev/sign-in-links", { signal })).links;
      } catch (error) {
        if (error instanceof HearthError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** Ways into the example scheme, on a system for one person on this computer. */
export function DemoLinks() {
  const { t } = useTranslation();
  const { data } = useDemoLinks();
  if (!data || data.length === 0) return null;
  return (
    <Alert color="teal" title={t("shell.demo.title")}>
      <Text size="sm" mb="sm">
        {t("shell.demo.lead")}
      </Text>
      <Group gap="xs">
        {data.map(({ role, url }) => (
          <Button key={url} component="a" href={pathOf(url)} variant="default" size="sm">
            {t(`shell.role.${role}`)}
          </Button>
        ))}
      </Group>
    </Alert>
  );
}

/** The same page under the name by which this browser knows the server. */
function pathOf(url: string): string {
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`;
}
