import { Button, Paper, Table, Text, Textarea, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { loadSigning } from "../../identity/load-signing.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import type { FileStore } from "../file-store.ts";
import { type MintedToken, mintedTokens, useMintedTokens } from "./minted-tokens.ts";

/** Tokens made in this tab, a form to revoke any other token, and the revoked tokens. */
export function TokenLists({ store }: { store: FileStore }) {
  const revocations = useInfiniteQuery({
    queryKey: ["files", "revocations", store.owner],
    queryFn: ({ pageParam }) => store.revocations(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const reload = () => void revocations.refetch();
  return (
    <>
      <Minted store={store} onRevoked={reload} />
      <RevokeCard store={store} onRevoked={reload} />
      <Revoked list={revocations} />
    </>
  );
}

type RevokeProps = { store: FileStore; onRevoked: () => void };

function Minted({ store, onRevoked }: RevokeProps) {
  const { t } = useTranslation();
  const tokens = useMintedTokens();
  const revoke = useMutation({
    mutationFn: ({ cid, token }: MintedToken) => store.revoke(cid, token),
    onSuccess: (_answer, { cid }) => {
      mintedTokens.remove(cid);
      onRevoked();
    },
  });
  if (tokens.length === 0) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t("files.tokens.minted")}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t("files.tokens.mintedLead")}
      </Text>
      {revoke.error !== null && <ErrorNotice error={revoke.error} />}
      <WideTable label={t("files.tokens.minted")} minWidth={480}>
        <Table aria-label={t("files.tokens.minted")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("files.tokens.abilities")}</Table.Th>
              <Table.Th>{t("files.tokens.path")}</Table.Th>
              <Table.Th>{t("files.tokens.for")}</Table.Th>
              <Table.Th>{t("files.tokens.until")}</Table.Th>
              <Table.Th>{t("files.versions.actions")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.map((token) => (
              <Table.Tr key={token.cid}>
                <Table.Td>{token.abilities.join(", ")}</Table.Td>
                <Table.Td>{token.path}</Table.Td>
                <Table.Td>
                  {token.isBearer ? t("files.tokens.bearer") : <CodeValue value={token.audience} shorten />}
                </Table.Td>
                <Table.Td>
                  <Moment at={token.expiresAt} />
                </Table.Td>
                <Table.Td>
                  <Button
                    size="compact-sm"
                    color="red"
                    variant="light"
                    loading={revoke.isPending && revoke.variables.cid === token.cid}
                    onClick={() => revoke.mutate(token)}
                  >
                    {t("files.tokens.revoke")}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Paper>
  );
}

function RevokeCard({ store, onRevoked }: RevokeProps) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { token: "" } });
  const revoke = useMutation({
    mutationFn: async ({ token }: typeof form.values) => {
      const bare = token.trim().replace(/^Bearer +/i, "");
      const { parseToken } = await loadSigning();
      const { cid } = await parseToken(bare).catch(() => {
        throw new Error(t("files.tokens.wrong"));
      });
      return await store.revoke(cid.toString(), bare);
    },
    onSuccess: () => {
      form.reset();
      onRevoked();
    },
  });
  return (
    <Paper withBorder p="md">
      <Form
        form={form}
        work={revoke}
        submit={t("files.tokens.revoke")}
        color="red"
        canSubmit={form.values.token.trim() !== ""}
        gap="sm"
      >
        <Title order={2} size="h4">
          {t("files.tokens.revokeOther")}
        </Title>
        <Textarea
          label={t("files.tokens.token")}
          description={t("files.tokens.revokeHint")}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps("token")}
        />
      </Form>
    </Paper>
  );
}

type RevokedProps = { list: ReturnType<typeof useInfiniteQuery<Awaited<ReturnType<FileStore["revocations"]>>>> };

function Revoked({ list }: RevokedProps) {
  const { t } = useTranslation();
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t("files.tokens.revoked")}
      </Title>
      {list.error !== null && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && <Text c="dimmed">{t("files.tokens.noneRevoked")}</Text>}
      {items.length > 0 && (
        <WideTable label={t("files.tokens.revoked")} minWidth={420}>
          <Table aria-label={t("files.tokens.revoked")}>
            <Table.Tbody>
              {items.map(({ cid, audience, revokedAt }) => (
                <Table.Tr key={cid}>
                  <Table.Td>
                    <CodeValue value={cid} shorten />
                  </Table.Td>
                  <Table.Td>
                    <CodeValue value={audience} shorten />
                  </Table.Td>
                  <Table.Td>
                    <Moment at={revokedAt} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
      {list.hasNextPage && (
        <Button variant="default" mt="sm" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("files.events.more")}
        </Button>
      )}
    </Paper>
  );
}
