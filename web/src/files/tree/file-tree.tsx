import { Loader } from "@mantine/core";
import {
  IconChevronDown,
  IconChevronRight,
  IconEyeOff,
  IconFile,
  IconFolder,
  IconFolderOpen,
  IconWorld,
} from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "../../session/use-store.ts";
import { useErrorText } from "../../show/error-notice.tsx";
import type { TreeEntry } from "../file-types.ts";
import classes from "../files.module.css";
import { formatBytes } from "../format-bytes.ts";
import type { FolderTree } from "./folder-tree.ts";
import { moveInTree, rowNamed, type TreeRow, treeRows } from "./tree-rows.ts";

const rowHeight = 36;
/** A letter typed after this pause starts a new name, in milliseconds. */
const pauseMs = 600;

type FileTreeProps = {
  tree: FolderTree;
  /** Id of the file that is open next to the tree. */
  selected: string | undefined;
  /** The user selected a file or folder. */
  onChoose: (entry: TreeEntry) => void;
};

/** Folders and files; only visible rows are in the page. Arrow keys and letters move, Enter opens. */
export function FileTree({ tree, selected, onChoose }: FileTreeProps) {
  const { t } = useTranslation();
  const { folders, open } = useStore(tree.subscribe, tree.state);
  const rows = treeRows(folders, open);
  const [focused, setFocused] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const letters = useRef(new TypedLetters());
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  useMoreInSight(
    tree,
    items.map(({ index }) => rows[index]),
  );

  const act = (row: TreeRow | undefined) => {
    if (row?.kind === "more") void tree.more(row.folder);
    if (row?.kind === "error") void tree.refresh();
    if (row?.kind !== "entry") return;
    onChoose(row.entry);
    if (row.entry.kind === "folder") row.isOpen ? tree.close(row.entry.path) : void tree.open(row.entry.path);
  };
  const focus = (index: number) => {
    setFocused(index);
    virtualizer.scrollToIndex(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Math.min(focused, rows.length - 1);
    const move = moveInTree(rows, at, event.key);
    if (event.key === "Enter" || (event.key === " " && letters.current.text === "")) act(rows[at]);
    else if (move === undefined) {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      const named = rowNamed(rows, at, letters.current.add(event.key, event.timeStamp));
      if (named !== undefined) focus(named);
    }
    if (move?.focus !== undefined) focus(move.focus);
    if (move?.open !== undefined) void tree.open(move.open);
    if (move?.close !== undefined) tree.close(move.close);
    event.preventDefault();
  };
  return (
    <div
      ref={frame}
      role="tree"
      className={classes.tree}
      tabIndex={0}
      aria-label={t("files.tree.label")}
      aria-activedescendant={rows.length === 0 ? undefined : `tree-row-${Math.min(focused, rows.length - 1)}`}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <Row
              key={key}
              {...{ row, index, start }}
              isFocused={index === focused}
              isSelected={row.kind === "entry" && row.entry.kind === "file" && row.entry.id === selected}
              onPress={() => {
                setFocused(index);
                act(row);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Letters typed in quick succession form the beginning of a name. */
class TypedLetters {
  #text = "";
  #at = 0;

  get text(): string {
    return performance.now() - this.#at < pauseMs ? this.#text : "";
  }

  add(letter: string, at: number): string {
    this.#text = this.text + letter;
    this.#at = at;
    return this.#text;
  }
}

/** Load a folder's next page when its row becomes visible. */
function useMoreInSight(tree: FolderTree, inSight: (TreeRow | undefined)[]): void {
  const wanted = inSight.find((row) => row?.kind === "more")?.folder;
  useEffect(() => {
    if (wanted !== undefined) void tree.more(wanted);
  }, [tree, wanted]);
}

type RowProps = {
  row: TreeRow;
  index: number;
  start: number;
  isFocused: boolean;
  isSelected: boolean;
  onPress: () => void;
};

function Row({ row, index, start, isFocused, isSelected, onPress }: RowProps) {
  const entry = row.kind === "entry" ? row.entry : undefined;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      id={`tree-row-${index}`}
      className={classes.row}
      style={{ transform: `translateY(${start}px)`, paddingInlineStart: `${row.level * 1.1 - 0.6}rem` }}
      data-focused={isFocused || undefined}
      aria-level={row.level}
      aria-selected={isSelected}
      aria-expanded={row.kind === "entry" && row.entry.kind === "folder" ? row.isOpen : undefined}
      aria-posinset={row.kind === "entry" ? row.position : undefined}
      aria-setsize={row.kind === "entry" ? row.siblings : undefined}
      onClick={onPress}
    >
      {entry === undefined ? (
        <OtherRow row={row} />
      ) : (
        <EntryRow entry={entry} isOpen={row.kind === "entry" && row.isOpen} />
      )}
    </div>
  );
}

function EntryRow({ entry, isOpen }: { entry: TreeEntry; isOpen: boolean }) {
  const { t, i18n } = useTranslation();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const Folder = isOpen ? IconFolderOpen : IconFolder;
  const note =
    entry.kind === "file"
      ? formatBytes(entry.size, i18n.language)
      : t(entry.more ? "files.tree.moreThan" : "files.tree.files", { count: entry.files });
  return (
    <>
      {entry.kind === "folder" ? <Chevron size={16} aria-hidden /> : <span style={{ width: 16 }} />}
      {entry.kind === "folder" ? <Folder size={18} aria-hidden /> : <IconFile size={18} aria-hidden />}
      <span className={classes.name}>{entry.name}</span>
      {entry.hiddenEffective && <IconEyeOff size={14} aria-label={t("files.marks.hidden")} />}
      {entry.public && <IconWorld size={14} aria-label={t("files.marks.public")} />}
      <span className={classes.note}>{note}</span>
    </>
  );
}

function OtherRow({ row }: { row: TreeRow }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  if (row.kind === "error") return <span className={classes.name}>{errorText(row.error)}</span>;
  if (row.kind === "empty") return <span className={classes.note}>{t("files.tree.empty")}</span>;
  return (
    <>
      <Loader size={14} aria-hidden />
      <span className={classes.note}>{t("common.loading")}</span>
    </>
  );
}
