import { ActionIcon, Code, CopyButton, Group } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** An identifier, hash or address to copy. A long one is shown shortened, and copied in full. */
export function CodeValue({ value, shorten = false }: { value: string; shorten?: boolean }) {
  const { t } = useTranslation();
  const shown = shorten && value.length > 18 ? `${value.slice(0, 10)}…${value.slice(-6)}` : value;
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: "anywhere" }} title={value}>
        {shown}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            size="sm"
            onClick={copy}
            aria-label={`${t("common.copy")} ${shown}`}
            title={t(copied ? "common.copied" : "common.copy")}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
