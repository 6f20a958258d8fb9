import { SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { fromMicro, toMicro } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { Amount } from "../../show/amount.tsx";
import { Moment } from "../../show/moment.tsx";
import { FigureCard } from "./figure-card.tsx";
import { Section } from "./section.tsx";

/** A supplier's redemptions of today, what it is owed, and what it was paid. */
export function SupplierFigures({ supplier }: { supplier: NonNullable<Schemas["SupplierOverview"]> }) {
  const { t } = useTranslation();
  const { today, toClaim, inReview, paid } = supplier;
  const owed = fromMicro(toMicro(toClaim.carbon) + toMicro(inReview.carbon));
  return (
    <Section title={t("home.supplier.title")}>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="xs">
        <FigureCard
          label={t("home.supplier.today")}
          figure={<Amount value={today.carbon} unit="carbon" />}
          hint={t("home.scheme.redemptions", { count: today.count })}
          to="/supplier/redemptions"
        />
        <FigureCard
          label={t("home.supplier.owed")}
          figure={<Amount value={owed} unit="carbon" />}
          hint={t("home.supplier.owedHint", { toClaim: toClaim.count, inReview: inReview.count })}
          to="/supplier/redemptions"
          search={{ status: "pending_delivery" }}
        />
        <FigureCard
          label={t("home.supplier.paidToday")}
          figure={<Amount value={today.paidInStablecoin} unit="stablecoin" />}
          hint={<CarbonToo value={today.paidInCarbon} />}
          to="/supplier/claims"
        />
        <FigureCard
          label={t("home.supplier.paid")}
          figure={<Amount value={paid.stablecoin} unit="stablecoin" />}
          hint={<CarbonToo value={paid.carbon} />}
          to="/supplier/claims"
        />
      </SimpleGrid>
      {toClaim.nextDeadline !== null && (
        <p style={{ margin: 0, fontSize: "var(--mantine-font-size-sm)" }}>
          {t("home.supplier.deadline")} <Moment at={toClaim.nextDeadline} />
        </p>
      )}
    </Section>
  );
}

function CarbonToo({ value }: { value: number | string }) {
  const { t } = useTranslation();
  if (Number(value) === 0) return null;
  return (
    <>
      {t("home.supplier.and")} <Amount value={value} unit="carbon" />
    </>
  );
}
