import { Badge, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";

const colours = { open: "red", answered: "yellow", closed: "teal" } as const;

type FindingBadgeProps = { finding: Pick<Schemas["Finding"], "kind" | "number" | "status">; name?: string };

/** The name of a finding, its status, and what its kind means. */
export function FindingBadge({ finding: { kind, number, status }, name = `${kind} ${number}` }: FindingBadgeProps) {
  const { t } = useTranslation();
  return (
    <Group gap="sm">
      <Text fw={600}>{name}</Text>
      <Badge color={colours[status]} variant="light">
        {t(`implementer.findings.status.${status}`)}
      </Badge>
      <Text size="sm" c="dimmed">
        {t(`implementer.findings.kind.${kind}`)}
      </Text>
    </Group>
  );
}
