import { Stack, Text, TextInput, Title } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useNetwork } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readCardId } from "../../../../wire/src/card-code.ts";
import { formatScaled, toMicro } from "../../../../wire/src/exact.ts";
import { readHouseholdCode } from "../../../../wire/src/household-code.ts";
import { Form } from "../../forms/form.tsx";
import { parseScaled } from "../../numbers/scaled.ts";
import { useParticipant } from "../../participants/use-participant.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { askPhone } from "../consent/ask-phone.ts";
import type { AskedPurchase } from "../consent/asked-purchase.ts";
import { type CardAndPin, ConsentInput } from "../consent/consent-input.tsx";
import { PhoneRefusal } from "../consent/phone-refusal.tsx";
import { signConsent } from "../consent/sign-consent.ts";
import { useConsentWays } from "../consent/use-consent-ways.ts";
import { type ConsentWay, isByWallet, usualWay } from "../consent/ways.ts";
import {
  type CardConsent,
  type CodeConsent,
  type HouseholdAuthorization,
  readHouseholdAuthorization,
  redemptionBody,
} from "../household-authorization.ts";
import type { QueueEntry } from "../queue/entry.ts";
import { isOffline, leftOffline, spenderOf, useOfflineLimits } from "../queue/offline-limit.ts";
import { enqueue } from "../queue/use-queue.ts";
import type { Product, Voucher } from "../records.ts";
import { useOwnWallet } from "../use-own-wallet.ts";
import { useVoucherProducts } from "../use-voucher-products.ts";
import { PriceCard } from "./price-card.tsx";
import { carbonOf } from "./price-share.ts";
import { ProductInput } from "./product-input.tsx";
import { ledgerDomain } from "./use-voucher.ts";
import { WalletButton } from "./wallet-button.tsx";

/** `chosen`: the way that the person chose; undefined before. */
type Values = {
  productId: string;
  amount: string;
  chosen: ConsentWay | undefined;
  given: string;
  code: string;
} & CardAndPin;
type RedeemFormProps = {
  supplierDid: string;
  voucherId: string;
  voucher: Voucher | undefined;
  /** Code of the household's card by which the voucher was found; empty when it was found by its id. */
  card: string;
  /** The orders of this device, to refuse a code that one of them has. */
  entries: readonly QueueEntry[];
  onKept: (entryId: string) => void;
  /** The household's phone was asked to approve the purchase. */
  onAsked: (asked: AskedPurchase) => void;
};

/** Product, amount and the household's consent. The order is first stored on this device, so it is not lost without a network. */
export function RedeemForm({ supplierDid, voucherId, voucher, card, entries, onKept, onAsked }: RedeemFormProps) {
  const { t } = useTranslation();
  const products = useVoucherProducts(voucherId, voucher !== undefined);
  const supplier = useParticipant("supplier", supplierDid);
  const isOwnWallet = useOwnWallet(supplierDid);
  const [signed, setSigned] = useState<HouseholdAuthorization>();
  const [isRedeemed, setRedeemed] = useState(false);
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues: { productId: "", amount: "", chosen: undefined, given: "", code: "", card, pin: "" },
    onValuesChange: (now, before) => {
      if (now.amount !== before.amount || now.productId !== before.productId || now.chosen !== before.chosen)
        setSigned(undefined);
    },
    validate: {
      productId: (value) => (value === "" ? t("supplier.redeem.productMissing") : null),
      amount: (text) => amountProblem(text, voucher, t),
      given: (text) =>
        way === "given" && readHouseholdAuthorization(text) === undefined ? t("supplier.consent.wrong") : null,
      card: (text) => (way === "pin" && readCardId(text) === undefined ? t("supplier.redeem.cardWrong") : null),
      code: (text) =>
        way === "code" && readHouseholdCode(text) === undefined ? t("supplier.consent.codeWrong") : null,
      pin: (text) => (way === "pin" && !/^\d{4,6}$/.test(text) ? t("supplier.consent.pinWrong") : null),
      chosen: (): string | null => {
        if (way === undefined) return t("supplier.consent.unchosen");
        return way === "wallet" && signed === undefined ? t("supplier.consent.unsigned") : null;
      },
    },
  });
  const accepted = useConsentWays(voucherId, supplierDid, parseScaled(form.values.amount, 6));
  const { chosen: chosenWay = usualWay(accepted.ways, card !== "") } = form.values;
  const way = accepted.ways.find((each) => each === chosenWay);
  const { online } = useNetwork();
  const limits = useOfflineLimits();
  useOfflineSigning(voucherId, voucher !== undefined);
  const chosen = products.data?.find(({ productId }) => productId === form.values.productId);
  const choose = (productId: string | null) => {
    const next = products.data?.find((product) => product.productId === productId);
    const asked = form.values.amount.trim();
    // An amount that the person typed stays; one that came with another product is replaced.
    if (asked === "" || asked === usualAmount(chosen, voucher))
      form.setFieldValue("amount", usualAmount(next, voucher));
    form.setFieldValue("productId", productId ?? "");
  };
  const sign = async () => {
    const amount = parseScaled(form.values.amount, 6);
    if (form.validateField("amount").hasError || form.validateField("productId").hasError) return;
    if (amount === undefined || chosen === undefined || supplier.data === undefined) return;
    setSigned(
      await signConsent({ voucherId, supplier: supplier.data.index, product: chosen.index, amount }, Date.now()),
    );
  };
  const signCode = async ({ code, amount: text }: Values): Promise<CodeConsent | undefined> => {
    const [known, amount] = [readHouseholdCode(code), parseScaled(text, 6)];
    if (known === undefined || amount === undefined || chosen === undefined) return undefined;
    if (supplier.data === undefined) throw new Error(t("supplier.consent.codeFirstOnline"));
    const [{ signWithCode }, domain] = await Promise.all([loadSigning(), ledgerDomain(voucherId)]);
    const terms = { voucherId, supplier: supplier.data.index, product: chosen.index, amount };
    const consent = await signWithCode(known, terms, domain, Date.now());
    if (!isInQueue(entries, consent)) return consent;
    form.setFieldError("code", t("supplier.consent.codeUsedHere"));
    return undefined;
  };
  const consentOf = ({ given }: Values) =>
    way === "given" ? readHouseholdAuthorization(given) : way === "wallet" ? signed : undefined;
  const submit = async (values: Values) => {
    const { productId, amount } = values;
    const micro = parseScaled(amount, 6);
    if (micro === undefined) return;
    const consent = consentOf(values);
    if (way === "phone")
      return onAsked(await askPhone({ voucherId, supplierDid, productId, amount: micro }, chosen?.name ?? productId));
    const codeConsent = way === "code" ? await signCode(values) : undefined;
    if (way === "code" && codeConsent === undefined) return;
    const entry = entryOf({
      supplierDid,
      voucherId,
      productId,
      amount: micro,
      productName: chosen?.name ?? productId,
      price: chosen?.price ?? undefined,
      consent,
      acceptedOffline: isOffline(online, entries) ? new Date().toISOString() : undefined,
      otherConsent: codeConsent ?? (way === "pin" ? cardConsentOf(values) : undefined),
    });
    const problem = offlineProblem(entry);
    if (problem !== undefined) return form.setFieldError("amount", problem);
    await enqueue(entry, supplierDid);
    onKept(entry.id);
  };
  /** Why this device may not accept the order without a network. */
  const offlineProblem = (entry: QueueEntry): string | undefined => {
    if (!isOffline(online, entries)) return undefined;
    if (limits === undefined) return t("supplier.offline.limitUnknown");
    const { left, which } = leftOffline(limits, entries, spenderOf(entry));
    if (toMicro(entry.amount) <= left) return undefined;
    return t(`supplier.offline.${which}`, { limit: formatScaled(limits[which], 6), left: formatScaled(left, 6) });
  };
  // The order is stored on this device, so it needs no network.
  const keepOrder = useMutation({ mutationFn: submit, networkMode: "always" });
  const isPhoneRefused = way === "phone" && keepOrder.isError;
  const walletOrder = async () => {
    const { productId, amount: text } = form.values;
    const amount = parseScaled(text, 6);
    if (form.validate().hasErrors || amount === undefined || !isByWallet(way)) return undefined;
    const signedCode = way === "code" ? await signCode(form.values) : undefined;
    if (way === "code" && signedCode === undefined) return undefined;
    const ids = { voucherId, supplierDid, productId, amount };
    return { ...ids, householdAuthorization: consentOf(form.values), consent: signedCode };
  };
  return (
    <Form
      form={form}
      work={{ ...keepOrder, error: isPhoneRefused ? null : keepOrder.error }}
      submit={t(way === "phone" ? "supplier.phone.ask" : "supplier.redeem.submit")}
      canSubmit={accepted.ways.length > 0}
      ownSubmit={isRedeemed}
      actions={
        isOwnWallet && isByWallet(way) && <WalletButton body={walletOrder} onRedeemed={() => setRedeemed(true)} />
      }
    >
      <ProductInput products={products} {...form.getInputProps("productId")} onChange={choose} />
      <TextInput
        label={t("supplier.redeem.amount")}
        inputMode="decimal"
        autoComplete="off"
        required
        {...form.getInputProps("amount")}
      />
      {chosen !== undefined && <PriceCard product={chosen} amount={parseScaled(form.values.amount, 6)} />}
      <Stack gap={4}>
        <Title order={2} size="h5">
          {t("supplier.consent.step")}
        </Title>
        <Text size="sm">{t("supplier.consent.stepHint")}</Text>
      </Stack>
      <ConsentInput
        cardAndPin={form.values}
        onCardAndPin={({ card: code, pin }) => {
          form.setFieldValue("card", code);
          form.setFieldValue("pin", pin);
        }}
        cardProblem={form.errors.card}
        pinProblem={form.errors.pin}
        code={form.values.code}
        onCode={(text) => form.setFieldValue("code", text)}
        codeProblem={form.errors.code}
        voucherId={voucherId}
        supplierDid={supplierDid}
        accepted={accepted}
        way={way}
        onWay={(chosen) => {
          keepOrder.reset();
          form.setFieldValue("chosen", chosen);
        }}
        given={form.values.given}
        onGiven={(text) => form.setFieldValue("given", text)}
        signed={signed}
        onSign={sign}
      />
      {form.errors.chosen && <ErrorNotice error={new Error(String(form.errors.chosen))} />}
      {isPhoneRefused && <PhoneRefusal error={keepOrder.error} />}
    </Form>
  );
}

const loadSigning = () => import("../consent/sign-with-code.ts");

/** Load with a network what signing with a code needs without one. */
function useOfflineSigning(voucherId: string, isRead: boolean): void {
  useQuery({
    queryKey: ["supplier", "signing"],
    enabled: isRead,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      await Promise.all([loadSigning(), ledgerDomain(voucherId)]);
      return true;
    },
  });
}

/** Whether an order of this device has the code already. */
function isInQueue(entries: readonly QueueEntry[], { nonce }: CodeConsent): boolean {
  return entries.some(({ state, body }) => state !== "refused" && body.includes(`"nonce":"${nonce}"`));
}

/** The CARBON that one unit takes, at most the voucher's balance, as the person would type it. */
function usualAmount(product: Product | undefined, voucher: Voucher | undefined): string {
  const carbon = product && carbonOf(product);
  if (carbon === undefined) return "";
  const left = voucher === undefined ? carbon : toMicro(voucher.remainingBalance);
  if (left < carbon) return formatScaled(left, 6);
  return formatScaled(carbon, 6);
}

function amountProblem(text: string, voucher: Voucher | undefined, t: (key: never) => string): string | null {
  const say = (key: string) => t(key as never);
  const micro = parseScaled(text, 6);
  if (micro === undefined || micro <= 0n) return say("supplier.redeem.amountWrong");
  if (voucher !== undefined && micro > toMicro(voucher.remainingBalance)) return say("supplier.redeem.amountTooMuch");
  return null;
}

function cardConsentOf({ card, pin }: Values): CardConsent {
  return { type: "pin", card: card.trim(), pin };
}

type Facts = Pick<QueueEntry, "supplierDid" | "voucherId" | "productId" | "productName"> & {
  price: QueueEntry["price"] | undefined;
  amount: bigint;
  consent: HouseholdAuthorization | undefined;
  otherConsent: CardConsent | CodeConsent | undefined;
  acceptedOffline: string | undefined;
};

function entryOf({ amount, consent, otherConsent, acceptedOffline, productName, price, ...ids }: Facts): QueueEntry {
  return {
    id: crypto.randomUUID(),
    ...ids,
    productName,
    ...(price === undefined ? {} : { price }),
    amount: formatScaled(amount, 6),
    body: redemptionBody({ ...ids, amount, householdAuthorization: consent, consent: otherConsent, acceptedOffline }),
    signed: consent !== undefined || otherConsent?.type === "code",
    createdAt: Date.now(),
    state: "waiting",
    tries: 0,
  };
}
