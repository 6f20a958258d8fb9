import { List } from "@mantine/core";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { useReasonText, useTextsOfReasons } from "../../show/use-reason-text.ts";

type Problems = Schemas["CadTrustPlan"]["problems"];

/** What the server refused or would refuse, in the reader's language where the reason has a code. */
export function ProblemList({ problems }: { problems: Problems }) {
  useTextsOfReasons(problems);
  const say = useReasonText();
  return (
    <List size="sm">
      {problems.map((problem) => {
        const { text, isTranslated } = say(problem);
        return (
          <List.Item key={`${problem.path} ${problem.message}`} {...(!isTranslated && { lang: "en" })}>
            {problem.path !== undefined && <strong translate="no">{problem.path}: </strong>}
            {text}
          </List.Item>
        );
      })}
    </List>
  );
}
