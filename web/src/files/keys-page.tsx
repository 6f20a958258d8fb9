import { Paper } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { IdentityCard } from "../identity/identity-card.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { LinkList } from "./links/link-list.tsx";
import { MintCard } from "./tokens/mint-card.tsx";
import { TokenLists } from "./tokens/token-lists.tsx";
import { useFileStore } from "./use-file-store.ts";

/** The user's key, and the tokens signed with it. */
export function KeysPage() {
  const { t } = useTranslation();
  const { files, error } = useFileStore();
  return (
    <PageFrame title={t("files.tokens.title")} lead={t("files.tokens.lead")}>
      {error !== undefined && <ErrorNotice error={error} />}
      {files === undefined && error === undefined && <Loading />}
      {files !== undefined && (
        <>
          <IdentityCard identity={files.identity} />
          <Paper withBorder p="md">
            <LinkList identity={files.identity} />
          </Paper>
          <MintCard identity={files.identity} />
          <TokenLists key={files.identity.did} store={files.store} />
        </>
      )}
    </PageFrame>
  );
}
