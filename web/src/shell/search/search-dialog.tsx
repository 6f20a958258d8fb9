import { Loader, Stack, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SearchResult } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { type StateKind, useStateWord } from "../../show/state-badge.tsx";
import { placeOf } from "./place.ts";
import classes from "./search.module.css";

/** Pause after typing before the search begins, in milliseconds. */
const typingMs = 200;
/** The API's limits. */
const [fewest, most] = [2, 128];

/** Search records of all kinds. Arrow keys move through the results, Enter opens one. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isVisitor = useSession().key === undefined;
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const q = text.trim();
  const [wanted] = useDebouncedValue(q, typingMs);
  const found = useSearchResults(wanted);
  const isShort = wanted.length < fewest;
  const results = isShort ? [] : (found.data?.results ?? []);
  const isSettled = wanted === q && (isShort || found.isError || (found.isSuccess && !found.isPlaceholderData));
  /** The text for which the user has pressed Enter; its first result opens as soon as it is found. */
  const [entered, setEntered] = useState<string>();
  const open = (result: SearchResult | undefined) => {
    if (result === undefined) return;
    onClose();
    void navigate(placeOf(result, isVisitor) as never);
  };
  useEffect(() => {
    if (entered !== q || !isSettled) return;
    setEntered(undefined);
    open(results[0]);
  });
  // Newer results may lack the link that has the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other results can take the focus away
  useLayoutEffect(() => {
    if (document.activeElement === document.body) input.current?.focus();
  }, [found.data]);
  const move = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? input.current)?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("shell.search.title")} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between its field and links */}
      <div onKeyDown={move}>
        <TextInput
          ref={input}
          data-autofocus
          aria-label={t("shell.search.title")}
          description={t("shell.search.hint")}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={isSettled ? null : <Loader size="xs" />}
          spellCheck={false}
          autoComplete="off"
          maxLength={most}
          value={text}
          onChange={(event) => {
            setEntered(undefined);
            setText(event.currentTarget.value);
          }}
          onKeyDown={(event) => event.key === "Enter" && setEntered(q)}
        />
        {found.isError && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
        <Text role="status" size="sm" my="xs">
          {isSettled && wanted.length >= fewest && !found.isError && t("shell.search.found", { count: results.length })}
          {isSettled && (found.data?.more.length ?? 0) > 0 && ` ${t("shell.search.more")}`}
        </Text>
        <ul ref={list} className={classes.list} aria-label={t("shell.search.results")}>
          {results.map((result) => (
            <li key={`${result.type} ${result.id}`}>
              <ResultLink result={result} onFollow={onClose} />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** Results of the API, or without a key of the public index. */
function useSearchResults(q: string) {
  const { key } = useSession();
  return useQuery({
    queryKey: ["shell", "search", q],
    enabled: q.length >= fewest,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    queryFn: async ({ signal }) =>
      key === undefined
        ? await hearth.get("/reports/search", { query: { q }, signal })
        : await hearth.get("/v1/search", { query: { q }, signal }),
  });
}

const kinds: Partial<Record<SearchResult["type"], StateKind>> = {
  certificate: "certificate",
  campaign: "campaign",
  voucher: "voucher",
  redemption: "redemption",
  claim: "claim",
  conversion: "conversion",
  "itmo-block": "itmoBlock",
  implementer: "participant",
  supplier: "participant",
  product: "product",
};

function ResultLink({ result, onFollow }: { result: SearchResult; onFollow: () => void }) {
  const { t } = useTranslation();
  const { type, id, name, status } = result;
  const isVisitor = useSession().key === undefined;
  const kind = kinds[type];
  const word = useStateWord(kind ?? "voucher");
  return (
    <Link {...(placeOf(result, isVisitor) as { to: string })} className={classes.result} onClick={onFollow}>
      <Stack gap={0}>
        <Text span size="xs" c="dimmed">
          {t(`shell.search.type.${type}`)}
          {status !== null && kind !== undefined && ` · ${word(status)}`}
        </Text>
        {name !== null && (
          <Text span fw={600} translate="no">
            {name}
          </Text>
        )}
        <Text span size="sm" ff="monospace" translate="no" className={classes.id}>
          {id}
        </Text>
      </Stack>
      <VisuallyHidden>{t("shell.search.openResult")}</VisuallyHidden>
    </Link>
  );
}
