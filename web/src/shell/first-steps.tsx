import { Alert, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../api/client.ts";
import { ApiReference } from "../show/api-reference.tsx";

const exampleCommand = "npm run demo";

/** First steps, shown while the system is empty. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["shell", "is-empty"],
    queryFn: ({ signal }) => hearth.countRows("certificate", { signal }),
  });
  if (data !== 0) return null;
  return (
    <Alert color="teal" title={t("home.firstSteps.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t("home.firstSteps.demo")}</Text>
        <Code block>{exampleCommand}</Code>
        <Text size="sm">
          {t("home.firstSteps.begin")} <ApiReference />
        </Text>
      </Stack>
    </Alert>
  );
}
