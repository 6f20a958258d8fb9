import { formatScaled } from "../../../api/platform/values/numbers.ts";
import { type CallPartner, type PartnerAnswer, sendToPartner, textOf, tokenIn, withToken } from "./http.ts";
import { type CallOutcome, type PartnerApi, PartnerError, reasonOf, type TransferStatus } from "./partner-api.ts";
import type { MtnSettings } from "./schemas.ts";

/**
 * Open MTN MoMo's disbursement API (momodeveloper.mtn.com). `X-Reference-Id` identifies a transfer: MTN answers 409 to a second one.
 * @param callbackUrl where MTN tells that a transfer has ended
 */
export function openMtnMomo(call: CallPartner, settings: MtnSettings, callbackUrl: string): PartnerApi {
  const base = `${settings.url.replace(/\/+$/, "")}/disbursement`;
  const subscription = { "Ocp-Apim-Subscription-Key": settings.subscriptionKey };
  const common = { ...subscription, "X-Target-Environment": settings.targetEnvironment };
  const basic = Buffer.from(`${settings.apiUser}:${settings.apiKey}`).toString("base64");
  const http = withToken(call, async (signal) => {
    const headers = { ...subscription, authorization: `Basic ${basic}` };
    return tokenIn(await sendToPartner(call, { method: "POST", url: `${base}/token/`, headers }, signal));
  });
  return {
    async transfer(transfer, signal) {
      const body = JSON.stringify({
        amount: formatScaled(transfer.amount, 6),
        currency: transfer.currency,
        externalId: transfer.paymentId,
        payee: { partyIdType: "MSISDN", partyId: transfer.number.slice(1) },
        payerMessage: transfer.paymentId,
        payeeNote: transfer.paymentId,
      });
      const own = { "X-Reference-Id": transfer.reference, "Content-Type": "application/json" };
      // MTN takes only the host that the API user was made with, which is never local.
      const callback: Record<string, string> = callbackUrl.startsWith("https:")
        ? { "X-Callback-Url": callbackUrl }
        : {};
      const headers = { ...common, ...own, ...callback };
      return http.call({ method: "POST", url: `${base}/v1_0/transfer`, headers, body }, signal, outcomeOf);
    },
    async status(reference, signal) {
      const url = `${base}/v1_0/transfer/${reference}`;
      return statusIn(await http.send({ method: "GET", url, headers: common }, signal));
    },
  };
}

function outcomeOf({ status, body }: PartnerAnswer): CallOutcome {
  const reason = reasonOf(status, textOf(body, "code"), textOf(body, "message"));
  if (status === 202) return { kind: "accepted" };
  if (status === 400 || status === 422) return { kind: "refused", reason };
  if ([401, 403, 404, 405, 429].includes(status)) return { kind: "postponed", reason };
  return { kind: "uncertain", reason };
}

function statusIn({ status, body }: PartnerAnswer): TransferStatus {
  if (status === 404) return { kind: "not-found" };
  const word = status === 200 ? textOf(body, "status") : undefined;
  if (word === "PENDING") return { kind: "pending" };
  if (word === "SUCCESSFUL") {
    const partnerTransaction = textOf(body, "financialTransactionId") ?? null;
    const amount = textOf(body, "amount") ?? null;
    return { kind: "succeeded", partnerTransaction, amount, currency: textOf(body, "currency") ?? null };
  }
  if (word === "FAILED") {
    // A text, or an object with a code, by version.
    const reason = reasonOf(textOf(body, "reason"), textOf(body, "reason", "code"), textOf(body, "reason", "message"));
    return { kind: "failed", reason };
  }
  throw new PartnerError(`The partner did not say what happened (${status}).`);
}
