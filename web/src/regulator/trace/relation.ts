import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TraceEvent } from "../../../../wire/src/reports.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import { useAmountText } from "../../show/amount.tsx";
import { itmoSentence } from "./itmo-sentence.ts";

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

/**
 * Return a function that says an event of the chain in the user's language, with the quantity where the event is about ITMOs; an
 * unknown event stays unchanged.
 */
export function useEventText(): (event: TraceEvent) => string {
  const { t, i18n } = useTranslation();
  const amountText = useAmountText();
  const relationText = useRelation();
  return ({ event, data }) => {
    const sentence = itmoSentence(event, data);
    if (sentence !== undefined) {
      const { key, tonnes, names, how } = sentence;
      const amount = amountText({ value: String(tonnes) }, "tonnes");
      return t(`events.itmo.${key}`, { amount, ...names, how: how === undefined ? "" : relationText(how) });
    }
    const key = `events.${event}`;
    return i18n.exists(key) ? t(key as TextKey) : event;
  };
}
