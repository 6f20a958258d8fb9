import { Textarea } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";

/** The public reason of an act on a campaign. */
export function ReasonField(props: GetInputPropsReturnType) {
  const { t } = useTranslation();
  return (
    <Textarea
      label={t("acts.amend.reason")}
      description={t("acts.amend.reasonHint")}
      autosize
      minRows={2}
      required
      data-autofocus
      {...props}
    />
  );
}
