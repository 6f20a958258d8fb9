import { List, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAmountText } from "../../show/amount.tsx";
import type { RefusedLevel } from "./use-consent-ways.ts";

/** Keys of `supplier.consent.refused` by the rule that a redemption on a level would break. */
const reasons = {
  "household-has-account": "noAccount",
  "voucher-has-codes": "noCodes",
  "household-authorised": "required",
  "pin-within-cap": "limit",
  "unconsented-within-cap": "limit",
} as const;

const isKnown = (rule: string): rule is keyof typeof reasons => rule in reasons;

/** Why the household cannot agree in other ways now. */
export function RefusedLevels({ refused }: { refused: readonly RefusedLevel[] }) {
  const { t } = useTranslation();
  const amount = useAmountText();
  if (refused.length === 0) return null;
  const reasonOf = ({ rule = "", left = 0, limit = 0 }: RefusedLevel): string | undefined => {
    if (!isKnown(rule)) return undefined;
    if (reasons[rule] !== "limit") return t(`supplier.consent.refused.${reasons[rule]}`);
    if (limit === 0) return t("supplier.consent.refused.never");
    return t("supplier.consent.refused.limit", { left: amount({ value: left }, "carbon") });
  };
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {t("supplier.consent.refused.title")}
      </Text>
      <List size="xs" c="dimmed">
        {refused.map((each) => (
          <List.Item key={each.level}>
            {t(`supplier.consentLevel.${each.level}`)}: {reasonOf(each) ?? <span lang="en">{each.message}</span>}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
