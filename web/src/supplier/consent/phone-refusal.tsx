import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";

/** Keys of `supplier.phone.refused` by the rule that refuses to reach a household's phone. */
const sentences = {
  "gateway-set": "noGateway",
  "household-has-phone": "noPhone",
  "phone-takes-sms": "noSms",
  "voucher-has-codes": "noCodes",
  "codes-kept": "codesDeleted",
  "code-left": "noCodeLeft",
  "few-open-requests": "manyOpen",
  "few-requests-a-day": "manyToday",
} as const;

const isKnown = (rule: string): rule is keyof typeof sentences => rule in sentences;

/** Why a household's phone cannot be reached, and what to do instead. */
export function PhoneRefusal({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const rules = error instanceof HearthError ? error.details.map(({ rule }) => rule) : [];
  const known = rules.filter(isKnown);
  if (error instanceof HearthError && error.code === "RATE_LIMITED")
    return (
      <Alert color="orange" role="alert">
        {t("supplier.phone.refused.often")}
      </Alert>
    );
  // A rule without a sentence here is said by the notice, with all others.
  if (known.length === 0 || known.length < rules.length) return <ErrorNotice error={error} />;
  return (
    <Alert color="orange" role="alert">
      {known.map((rule) => t(`supplier.phone.refused.${sentences[rule]}`)).join(" ")}
    </Alert>
  );
}
