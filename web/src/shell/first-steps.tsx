import { Alert, Code, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiReference } from "../show/api-reference.tsx";
import { useSummary } from "./home/use-summary.ts";

const exampleCommand = "npm run demo";

/** First steps, shown while the system is empty. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { data } = useSummary();
  if (data === undefined || data.certificates.length > 0) return null;
  return (
    <Alert color="teal" title={t("home.firstSteps.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t("home.firstSteps.demo")}</Text>
        <Code block>{exampleCommand}</Code>
        <Text size="sm">{t("home.firstSteps.begin")}</Text>
        <Text size="sm">{t("home.firstSteps.register")}</Text>
        <Text size="sm">
          <ApiReference />
        </Text>
      </Stack>
    </Alert>
  );
}
