import { Alert, List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { BrokenKptRule } from "../../../../wire/src/kpt-rules.ts";

/** Return a function that describes a broken rule. */
export function useRuleText(): (broken: BrokenKptRule) => string {
  const { t } = useTranslation();
  return ({ reason, values }) => {
    const { group, fuel } = values;
    const named = {
      ...values,
      ...(group === undefined ? {} : { group: t(`implementer.group.${group as "reference"}`) }),
      ...(fuel === undefined ? {} : { fuel: t(`implementer.fuel.${fuel as "wood"}`).toLocaleLowerCase() }),
    };
    return t(`implementer.rule.${reason}` as "implementer.rule.tooFewLogs", named as unknown as { least: number });
  };
}

/** All rules that the entry breaks; screen readers announce changes. */
export function BrokenRules({ broken }: { broken: BrokenKptRule[] }) {
  const { t } = useTranslation();
  const text = useRuleText();
  return (
    <Alert
      color={broken.length === 0 ? "teal" : "yellow"}
      title={broken.length === 0 ? t("implementer.kpt.fine") : t("implementer.kpt.open")}
      role="status"
    >
      {broken.length > 0 && (
        <List size="sm">
          {broken.map((each) => (
            <List.Item key={`${each.path} ${each.rule} ${each.reason}`}>
              {text(each)}{" "}
              <Text span size="xs" ff="monospace">
                {each.rule}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
