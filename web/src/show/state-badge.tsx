import { useTranslation } from "react-i18next";
import type { en } from "../i18n/en.ts";
import type { TextKey } from "../i18n/i18n.ts";
import { StatusBadge } from "./status-badge.tsx";

/** Kinds of things that have a state. */
export type StateKind = keyof typeof en.state;

/** Return a function that gives the word for a state; an unknown state, such as of a newer index, stays unchanged. */
export function useStateWord(kind: StateKind): (state: string) => string {
  const { t, i18n } = useTranslation();
  return (state) => {
    const key = `state.${kind}.${state}`;
    return i18n.exists(key) ? t(key as TextKey) : state;
  };
}

export function StateBadge({ kind, state }: { kind: StateKind; state: string }) {
  const word = useStateWord(kind);
  return <StatusBadge status={state} label={word(state)} />;
}
