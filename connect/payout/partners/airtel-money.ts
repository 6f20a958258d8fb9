import { formatScaled } from "../../../api/platform/values/numbers.ts";
import { type CallPartner, fieldOf, type PartnerAnswer, sendToPartner, textOf, tokenIn, withToken } from "./http.ts";
import { type CallOutcome, type PartnerApi, PartnerError, reasonOf, type TransferStatus } from "./partner-api.ts";
import type { AirtelSettings } from "./schemas.ts";

/** Response codes of a disbursement that say more than "failed" (developers.airtel.africa). */
const success = "DP00900001001";
const processing = "DP00900001006";
/** Ambiguous, timed out, and two codes for an id that exists. */
const uncertain = new Set(["DP00900001000", "DP00900001014", "DP00900001011", "DP00900001017"]);
/** Limit, amount, failed, funds, initiatee, user, number, refused. */
const refused = /^DP00900001(003|004|005|007|009|010|012|013)$/;
const notFound = "DP00900001015";

/** Open Airtel Money's disbursement API. Our reference is the transaction's id; Airtel refuses a second one with the same id. */
export function openAirtelMoney(call: CallPartner, settings: AirtelSettings, currency: string): PartnerApi {
  const base = settings.url.replace(/\/+$/, "");
  const common = { "X-Country": settings.country, "X-Currency": currency, "Content-Type": "application/json" };
  const http = withToken(call, async (signal) => {
    const { clientId, clientSecret } = settings;
    const body = JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: "client_credentials",
    });
    const headers = { "Content-Type": "application/json" };
    return tokenIn(
      await sendToPartner(call, { method: "POST", url: `${base}/auth/oauth2/token`, headers, body }, signal),
    );
  });
  const url = `${base}/standard/v2/disbursements/`;
  return {
    async transfer({ reference, paymentId, amount, number, holder }, signal) {
      const body = JSON.stringify({
        payee: { currency, msisdn: nationalNumber(number, settings.callingCode), name: holder },
        // 4 to 64 letters and digits.
        reference: paymentId.replaceAll(/[^A-Za-z0-9]/g, ""),
        pin: settings.encryptedPin,
        transaction: { amount: JSON.rawJSON(formatScaled(amount, 6)), id: reference, type: "B2C" },
      });
      return http.call({ method: "POST", url, headers: common, body }, signal, outcomeOf);
    },
    async status(reference, signal) {
      const request = { method: "GET" as const, url: `${url}${reference}?transactionType=B2C`, headers: common };
      return statusIn(await http.send(request, signal));
    },
  };
}

/** Airtel takes numbers without the country's code. */
function nationalNumber(number: string, callingCode: string): string {
  return number.startsWith(`+${callingCode}`) ? number.slice(callingCode.length + 1) : number.slice(1);
}

function codeOf(body: PartnerAnswer["body"]): string {
  return textOf(body, "status", "response_code") ?? "";
}

function outcomeOf({ status, body }: PartnerAnswer): CallOutcome {
  const code = codeOf(body);
  const reason = reasonOf(status, code, textOf(body, "status", "message"));
  if (code === success || code === processing) return { kind: "accepted" };
  if (refused.test(code)) return { kind: "refused", reason };
  if (uncertain.has(code)) return { kind: "uncertain", reason };
  // The gateway before the payment system: wrong PIN, country, currency or key.
  if (code.startsWith("ROUTER") || [401, 403, 404, 405, 429].includes(status)) return { kind: "postponed", reason };
  return { kind: "uncertain", reason };
}

function statusIn({ status, body }: PartnerAnswer): TransferStatus {
  const code = codeOf(body);
  if (code === notFound || (status === 404 && code === "")) return { kind: "not-found" };
  const word = textOf(body, "data", "transaction", "status");
  const reason = reasonOf(code, textOf(body, "data", "transaction", "message") ?? textOf(body, "status", "message"));
  if (word === "TS" || (word === undefined && code === success)) {
    const transaction = fieldOf(body, "data", "transaction");
    const partnerTransaction = textOf(transaction, "airtel_money_id") ?? textOf(transaction, "reference_id") ?? null;
    const amount = textOf(transaction, "amount") ?? null;
    return { kind: "succeeded", partnerTransaction, amount, currency: null };
  }
  if (word === "TF" || (word === undefined && refused.test(code))) return { kind: "failed", reason };
  if (word === "TIP" || word === "TA" || code === processing || uncertain.has(code)) return { kind: "pending" };
  throw new PartnerError(`The partner did not say what happened (${status}).`);
}
