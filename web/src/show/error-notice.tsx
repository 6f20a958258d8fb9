import { Alert, Button, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { HearthError, reasonOfErrorCode } from "../../../wire/src/errors.ts";
import { isOffline } from "../api/error.ts";
import { isCodeLost } from "../offline/new-version.ts";
import { WalletError } from "../session/wallet-error.ts";
import { useReasonText, useTextsOfReasons } from "./use-reason-text.ts";

/**
 * Shows an error with every broken rule, and a retry button. When code of the page is missing, the button loads the page again. Rules are
 * said in the reader's language where the console knows their code. What the API says in English only follows a translated sentence of
 * its error code.
 */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t, i18n } = useTranslation();
  const message = useErrorText()(error);
  const isInEnglish = error instanceof Error && message === error.message;
  const { details = [], requestId, code = "" } = factsOfError(error);
  const general = { code: reasonOfErrorCode(code), message };
  useTextsOfReasons(isInEnglish && code !== "" ? [...details, general] : details);
  const say = useReasonText();
  const translated = i18n.language !== "en" && isInEnglish ? say(general) : { text: "", isTranslated: false };
  const rules = details.map((rule) => ({ ...rule, ...say(rule) }));
  // The API's sentence only announces the rules.
  const isSaidByRules = i18n.language !== "en" && rules.length > 0 && rules.every(({ isTranslated }) => isTranslated);
  // A browser remembers that a file could not be loaded, until the page is loaded again.
  const retry = isCodeLost(error) ? () => window.location.reload() : onRetry;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("common.error.title")}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        {!isSaidByRules && translated.isTranslated && <Text size="sm">{translated.text}</Text>}
        {!isSaidByRules && (
          <Text size="sm" {...(isInEnglish && { lang: "en" })}>
            {message}
          </Text>
        )}
        {rules.length > 0 && (
          <List size="sm">
            {rules.map(({ path, rule, text, isTranslated }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule may be broken twice at the same path
              <List.Item key={index} {...(!isTranslated && { lang: "en" })}>
                {path && !path.startsWith("query") && <strong>{path}: </strong>}
                {text}{" "}
                <Text span size="xs" ff="monospace">
                  {rule}
                </Text>
              </List.Item>
            ))}
          </List>
        )}
        {requestId !== undefined && <Text size="xs">{t("common.error.request", { id: requestId })}</Text>}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t("common.retry")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

type Rule = {
  path?: string;
  rule?: string;
  message: string;
  code?: string;
  values?: Record<string, string | number>;
};
type Facts = { code?: string; details?: Rule[]; requestId?: string | undefined };

/** Details of an API error. The SDK's errors have the same fields in another class. */
function factsOfError(error: unknown): Facts {
  return error instanceof Error && error.name === "HearthError" ? (error as Facts) : {};
}

/** Whether an error has no message from the API: it came from a proxy or from this page. */
function hasNoMessage({ status, code, message }: HearthError): boolean {
  return message === code || (code === "INTERNAL" && status !== 500);
}

/** Returns a function that describes any thrown value in a sentence. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) => {
    if (isCodeLost(error)) return t("common.error.code");
    if (isOffline(error)) return t("common.error.offline");
    if (error instanceof WalletError && error.problem !== "other") return t(`common.error.wallet.${error.problem}`);
    if (error instanceof HearthError && error.status === 401 && error.message === "") return t("common.error.signIn");
    if (error instanceof HearthError && hasNoMessage(error)) return t("common.error.answer", { status: error.status });
    const message = error instanceof Error ? error.message : String(error);
    return message === "" ? t("common.error.answer", { status: "" }) : message;
  };
}
