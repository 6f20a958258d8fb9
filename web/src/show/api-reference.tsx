import { Anchor } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** The way to the server's own description of its requests. */
export function ApiReference() {
  const { t } = useTranslation();
  return (
    <Anchor href="/docs" target="_blank" rel="noopener" underline="always">
      {t("common.apiReference")}
    </Anchor>
  );
}
