import { useModels } from "@hearth/oracles-client-sdk";
import { Alert, Badge, Button, Group, List, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.ts";
import type { OracleAddress } from "./oracle-provider.tsx";

const forAll = ["active", "problems", "weather"] as const;

/** The questions that people ask first, as buttons. */
export function Suggestions({ onAsk }: { onAsk: (question: string) => void }) {
  const { t } = useTranslation();
  const { key } = useSession();
  const isSupplier = key?.holder.role === "supplier";
  const questions = isSupplier ? (["owed", ...forAll] as const) : ([...forAll, "owed"] as const);
  return (
    <Stack gap="xs" align="center">
      <Text size="sm" c="dimmed">
        {t("chat.suggest.lead")}
      </Text>
      <Group gap="xs" justify="center">
        {questions.map((each) => (
          <Button
            key={each}
            variant="default"
            size="compact-md"
            radius="xl"
            onClick={() => onAsk(t(`chat.suggest.${each}`))}
          >
            {t(`chat.suggest.${each}`)}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

function useIsOffline({ oracleDid, overrides }: OracleAddress): boolean {
  const { models } = useModels(oracleDid, overrides);
  return models.some(({ isDefault, family }) => isDefault && family === "offline");
}

/** Says in a word that no language model is connected. */
export function ModelBadge(address: OracleAddress) {
  const { t } = useTranslation();
  if (!useIsOffline(address)) return null;
  return (
    <Badge variant="outline" color="gray" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
      {t("chat.noModel.badge")}
    </Badge>
  );
}

/** What the oracle knows without a language model. */
const topics = ["vouchers", "voucher", "owed", "wrong", "record", "weather"] as const;

/** Says that no language model is connected, and what that means. */
export function ModelNotice(address: OracleAddress) {
  const { t } = useTranslation();
  if (!useIsOffline(address)) return null;
  return (
    <Alert variant="light" color="gray" p="xs" icon={<IconInfoCircle size={18} />} title={t("chat.noModel.title")}>
      <Text size="sm">{t("chat.noModel.text")}</Text>
      <List size="sm">
        {topics.map((topic) => (
          <List.Item key={topic}>{t(`chat.noModel.topics.${topic}`)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
