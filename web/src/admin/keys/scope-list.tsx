import { Code, List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isScope, scopeText } from "./scopes.ts";

/** What a key may do: each scope with its sentence. */
export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <List size="sm" spacing={4}>
      {scopes.length === 0 && <List.Item>{t("keys.onlyRead")}</List.Item>}
      {scopes.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code> {isScope(scope) && t(scopeText(scope))}
        </List.Item>
      ))}
    </List>
  );
}
