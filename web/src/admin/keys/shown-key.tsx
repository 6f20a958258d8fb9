import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ScopeList } from "./scope-list.tsx";

type ShownKeyProps = { made: Pick<Schemas["CreatedApiKey"], "key" | "name" | "scopes">; onClose: () => void };

/** A new key, which is shown only once. */
export function ShownKey({ made: { key, name, scopes }, onClose }: ShownKeyProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("keys.shownTitle", { name })} size="lg" onClose={onClose}>
      <Stack>
        <Alert color="yellow">{t("keys.shownHint")}</Alert>
        <Code block style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {key}
        </Code>
        <CopyButton value={key}>
          {({ copied, copy }) => (
            <Button onClick={copy} leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}>
              {t(copied ? "keys.copied" : "keys.copy")}
            </Button>
          )}
        </CopyButton>
        <Text size="sm" fw={600}>
          {t("keys.may")}
        </Text>
        <ScopeList scopes={scopes} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.close")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
