import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TextKey } from "../../i18n/i18n.ts";

/** Return a function that names the relation of two nodes in the user's language; an unknown relation stays unchanged. */
export function useRelation(): (relation: string) => string {
  const { t, i18n } = useTranslation();
  return useCallback(
    (relation: string) => {
      const key = `relation.${relation}`;
      return i18n.exists(key) ? t(key as TextKey) : relation;
    },
    [t, i18n],
  );
}

/** Return a function that names an event of the chain in the user's language; an unknown event stays unchanged. */
export function useEventWord(): (event: string) => string {
  const { t, i18n } = useTranslation();
  return useCallback(
    (event: string) => {
      const key = `events.${event}`;
      return i18n.exists(key) ? t(key as TextKey) : event;
    },
    [t, i18n],
  );
}
