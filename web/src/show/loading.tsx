import { Center, Loader } from "@mantine/core";
import { useTranslation } from "react-i18next";

export function Loading() {
  const { t } = useTranslation();
  return (
    <Center p="xl" role="status" aria-label={t("common.loading")} data-loading>
      <Loader />
    </Center>
  );
}
