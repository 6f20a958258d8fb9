import { Card, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";

type RoleTable = Schemas["RoleTable"];
type Role = RoleTable["roles"][number];

/** Who holds which role, as the chain has it. */
export function RolesPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["admin", "roles"],
    queryFn: ({ signal }) => hearth.get("/v1/roles", { signal }),
  });
  return (
    <PageFrame title={t("nav.admin.roles")} lead={t("admin.roles.lead")}>
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <>
          <Council council={data.council} delaySeconds={data.delaySeconds} />
          {data.roles.map((role) => (
            <RoleCard key={`${role.contract}-${role.role}`} role={role} />
          ))}
        </>
      )}
    </PageFrame>
  );
}

function Council({ council, delaySeconds }: Pick<RoleTable, "council" | "delaySeconds">) {
  const { t } = useTranslation();
  const { members, threshold } = council;
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t("nav.admin.council")}
        </Title>
        <Text size="sm">
          {t("admin.roles.sign", { threshold, count: members.length })}{" "}
          {t("admin.roles.delay", { count: Math.round(delaySeconds / 3_600) })}
        </Text>
        <List listStyleType="none">
          {members.map((member) => (
            <List.Item key={member}>
              <CodeValue value={member} />
            </List.Item>
          ))}
        </List>
      </Stack>
    </Card>
  );
}

function RoleCard({ role: { role, holders } }: { role: Role }) {
  const { t, i18n } = useTranslation();
  const word = (kind: "role" | "can" | "holder", name: string) => {
    const key = `admin.roles.${kind}.${name}`;
    return i18n.exists(key) ? t(key as TextKey) : name;
  };
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {word("role", role)}
        </Title>
        <Text size="sm">{word("can", role)}</Text>
        {holders.length === 0 && <Text size="sm">{t("admin.roles.nobody")}</Text>}
        {holders.map(({ account, name }) => (
          <Group key={account} gap="xs">
            <CodeValue value={account} />
            {name !== null && <Text size="sm">{word("holder", name)}</Text>}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
