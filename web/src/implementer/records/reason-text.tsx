import { List } from "@mantine/core";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { useReasonText } from "../../show/use-reason-text.ts";

type Reason = Schemas["Submission"]["details"][number];

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
