import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Identity } from "../../identity/identity-store.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { listLinks, revokeLink, type StoredLink } from "./link-records.ts";

/** The links that the person has made, of one path if given; each can be revoked. */
export function LinkList({ identity, path }: { identity: Identity; path?: string }) {
  const { t } = useTranslation();
  const links = useQuery({
    queryKey: ["files", "links", identity.did],
    queryFn: () => listLinks(identity),
    staleTime: 0,
  });
  const revoke = useMutation({ mutationFn: (link: StoredLink) => revokeLink(identity, link) });
  if (links.data === undefined) {
    return links.error === null ? (
      <Loading />
    ) : (
      <ErrorNotice error={links.error} onRetry={() => void links.refetch()} />
    );
  }
  const shown = links.data.filter((link) => path === undefined || link.path === path);
  const isOver = ({ expiresAt }: StoredLink) => expiresAt * 1000 < Date.now();
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t("files.link.list")}
      </Title>
      {revoke.error !== null && <ErrorNotice error={revoke.error} />}
      {shown.length === 0 && <Text size="sm">{t("files.link.none")}</Text>}
      {shown.map((link) => (
        <Paper key={link.cid} withBorder p="xs" component="article" aria-label={link.path}>
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <Stack gap={2} style={{ minWidth: 0 }}>
              <Text size="sm" fw={600} translate="no" style={{ overflowWrap: "anywhere" }}>
                {link.path}
              </Text>
              <Text size="xs">
                {t(`files.link.rights.${link.right}`)} · {t(isOver(link) ? "files.link.ended" : "files.link.ends")}{" "}
                <Moment at={link.expiresAt} />
              </Text>
              {link.hasPassword && (
                <Badge variant="outline" color="gray" c="inherit">
                  {t("files.link.password")}
                </Badge>
              )}
            </Stack>
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              loading={revoke.isPending && revoke.variables.cid === link.cid}
              onClick={() => revoke.mutate(link)}
              style={{ flexShrink: 0 }}
            >
              {t("files.tokens.revoke")}
            </Button>
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}
