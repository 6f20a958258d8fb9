import { List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";

type Reason = Schemas["Submission"]["details"][number];
type Said = { text: string; isTranslated: boolean };

/** Return a function that says a reason in the reader's language; one without a known code is said in English. */
export function useReasonText(): (reason: Reason) => Said {
  const { t, i18n } = useTranslation();
  return ({ code, values = {}, message }) => {
    const key = `reasons.${code}`;
    if (code === undefined || !i18n.exists(key)) return { text: message, isTranslated: false };
    const { fuel, group } = values;
    const fuelKey = `implementer.fuel.${fuel}`;
    const groupKey = `implementer.group.${group}`;
    const named = {
      ...values,
      ...(i18n.exists(fuelKey) && { fuel: t(fuelKey as "implementer.fuel.wood").toLocaleLowerCase() }),
      ...(i18n.exists(groupKey) && { group: t(groupKey as "implementer.group.reference") }),
    };
    return {
      text: t(key as "reasons.not-photo", named as unknown as { name: string }),
      isTranslated: true,
    };
  };
}

/** Every reason why a record was refused. */
export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  const say = useReasonText();
  return (
    <List size="sm">
      {reasons.map((reason) => {
        const { text, isTranslated } = say(reason);
        return (
          <List.Item key={`${reason.path} ${reason.rule} ${reason.message}`} {...(!isTranslated && { lang: "en" })}>
            {text}
          </List.Item>
        );
      })}
    </List>
  );
}
