import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageFrame } from "../show/page-frame.tsx";

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("shell.notFound.title")} lead={t("shell.notFound.lead")}>
      <div>
        <Button component={Link} to="/">
          {t("shell.notFound.back")}
        </Button>
      </div>
    </PageFrame>
  );
}
