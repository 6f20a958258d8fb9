import { Anchor } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Link to the server's API reference. */
export function ApiReference() {
  const { t } = useTranslation();
  return (
    <Anchor href="/docs" target="_blank" rel="noopener" underline="always">
      {t("common.apiReference")}
    </Anchor>
  );
}
