import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { exact } from "../../../../wire/src/exact.ts";
import { hearth } from "../../api/client.ts";
import { useParticipants } from "../../participants/use-participant.ts";
import { type Entered, type Field, RecordDialog } from "../records/record-dialog.tsx";

const limit = 500;
/** Hours: two weeks. */
const usualClaimWindow = "336";

/** Register a monitoring plan. It cannot be changed afterwards. */
export function PlanDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <RecordDialog
      title={t("admin.plans.register")}
      fields={useFields()}
      name="admin.register.plan"
      body={planOf}
      send={(body, idempotencyKey) => hearth.post("/v1/monitoring-plans", { body, idempotencyKey })}
      changes={["admin", "plans"]}
      onClose={onClose}
    />
  );
}

function useFields(): Field[] {
  const { t } = useTranslation();
  const { data: implementers = [] } = useParticipants("implementer", true);
  const { data: products = [] } = useQuery({
    queryKey: ["admin", "products", "all"],
    queryFn: ({ signal }) => hearth.get("/v1/products", { query: { limit }, signal }).then(({ items }) => items),
  });
  const { data: issuers = [] } = useQuery({
    queryKey: ["admin", "issuers", "all"],
    queryFn: ({ signal }) => hearth.get("/v1/issuers", { query: { limit }, signal }).then(({ items }) => items),
  });
  const wholeNumber = (text: string) => (/^\d*$/.test(text) ? null : t("admin.plans.wholeNumber"));
  return [
    { name: "planId", label: t("admin.plans.id"), hint: t("admin.plans.idHint"), required: true, maxLength: 128 },
    {
      name: "implementerDid",
      kind: "choice",
      label: t("people.implementer"),
      options: implementers.map(({ did, name }) => ({ value: did, label: name })),
      required: true,
    },
    { name: "startDate", kind: "date", label: t("admin.plans.from"), required: true },
    {
      name: "endDate",
      kind: "date",
      label: t("admin.plans.to"),
      required: true,
      check: (end, { startDate = "" }) => (end < startDate ? t("admin.plans.ordered") : null),
    },
    {
      name: "products",
      kind: "choices",
      label: t("nav.admin.products"),
      hint: t("admin.plans.productsHint"),
      options: products.map(({ productId, name }) => ({ value: productId, label: name })),
    },
    {
      name: "trustedIssuers",
      kind: "choices",
      label: t("nav.admin.issuers"),
      hint: t("admin.plans.issuersHint"),
      options: issuers.map(({ did }) => ({ value: did, label: did })),
    },
    {
      name: "unconsentedCap",
      kind: "number",
      label: t("admin.plans.cap"),
      hint: t("admin.plans.capHint"),
      check: wholeNumber,
    },
    { name: "regions", kind: "list", label: t("admin.plans.regions"), hint: t("admin.plans.regionsHint"), more: true },
    { name: "requiredEvidence", kind: "list", label: t("admin.plans.evidence"), more: true },
    {
      name: "claimWindowHours",
      kind: "number",
      label: t("admin.plans.claimWindow"),
      initial: usualClaimWindow,
      check: wholeNumber,
      more: true,
    },
    {
      name: "reviewPercent",
      kind: "number",
      label: t("admin.plans.review"),
      initial: "0",
      check: (text) => (/^\d{0,3}$/.test(text) && Number(text) <= 100 ? null : t("admin.plans.percent")),
      more: true,
    },
    { name: "season", label: t("admin.plans.season"), maxLength: 64, more: true },
    { name: "supplierMayIssue", kind: "switch", label: t("admin.plans.supplierIssues"), more: true },
  ];
}

function planOf({ text, given, list, isOn }: Entered) {
  const [cap, season] = [given("unconsentedCap"), given("season")];
  return {
    planId: text("planId"),
    implementerDid: text("implementerDid"),
    period: { startDate: text("startDate"), endDate: text("endDate") },
    products: list("products"),
    trustedIssuers: list("trustedIssuers"),
    regions: list("regions"),
    requiredEvidence: list("requiredEvidence"),
    claimWindowHours: Number(given("claimWindowHours") ?? usualClaimWindow),
    reviewShare: exact(shareOf(text("reviewPercent"))),
    supplierMayIssue: isOn("supplierMayIssue"),
    ...(cap === undefined ? {} : { unconsentedCap: Number(cap) }),
    ...(season === undefined ? {} : { season }),
  };
}

/** Whole per cent as a share in decimals: 5 → 0.05. */
function shareOf(percent: string): string {
  const digits = percent.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
