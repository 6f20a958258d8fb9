import { Group, Progress, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { FileStore } from "./file-store.ts";
import { formatBytes } from "./format-bytes.ts";

/** Space used by the user's files, and the quota. */
export function UsageBar({ store }: { store: FileStore }) {
  const { t, i18n } = useTranslation();
  const { data } = useQuery({ queryKey: ["files", "usage", store.owner], queryFn: () => store.usage() });
  if (data === undefined) return null;
  const { bytes, files, versions, quota } = data;
  const size = formatBytes(bytes, i18n.language);
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed">
        {t("files.usage.files", { count: files })} · {t("files.usage.versions", { count: versions })} ·{" "}
        {quota === null ? size : t("files.usage.of", { size, quota: formatBytes(quota, i18n.language) })}
      </Text>
      {quota !== null && <Progress w={120} value={(100 * bytes) / quota} aria-label={t("files.usage.label")} />}
    </Group>
  );
}
