import { setTimeout as sleep } from "node:timers/promises";
import type { RateLimiter } from "../../../api/platform/http/index.ts";
import { formatScaled } from "../../../api/platform/values/numbers.ts";
import { type HearthClient, type Schemas, toMicro } from "../../../wire/src/index.ts";
import { firstCode } from "../codes/service.ts";
import type { PhoneDeps } from "../deps.ts";
import { nameOfProduct, nameOfSupplier } from "../names.ts";
import { payRequest } from "../requests/payment.ts";
import { sendSms } from "../sms/outbox.ts";
import { type GatewayRow, type PhoneRow, phoneLanguages } from "../tables.ts";
import { phoneTexts } from "../texts.ts";

/** One step of a session: what to show, and whether the session ends. */
export type UssdAnswer = { text: string; ends: boolean; requestId?: string };

export type DialogueContext = {
  deps: PhoneDeps & { rateLimiter: RateLimiter };
  gateway: GatewayRow;
  /** Acts with the gateway's key. */
  client: HearthClient;
  phone: PhoneRow;
  /** The request that an earlier step of this session showed. */
  shownRequest: (earlierText: string) => Promise<string | undefined>;
  /** Work that continues after the answer. */
  goOn: (work: Promise<unknown>) => void;
};

/** How long a payment may take before the session ends with "an SMS follows". A session dies after 20 seconds. */
const patienceMs = 8_000;
const linesOfHistory = 3;
/** Codes that a household may ask for from its phones. Each is an SMS, which costs money, and counts against nobody's key. */
const ownCodes = [
  { most: 3, windowSeconds: 3_600 },
  { most: 6, windowSeconds: 86_400 },
];

const ask = (text: string, more: { requestId?: string } = {}): UssdAnswer => ({ text, ends: false, ...more });
const end = (text: string): UssdAnswer => ({ text, ends: true });

/** Answer a session's step. `typed`: everything that was typed, the last one included. Only a step that ends moves money. */
export async function answerStep(context: DialogueContext, typed: readonly string[]): Promise<UssdAnswer> {
  const { phone } = context;
  const texts = phoneTexts[phone.language];
  const [choice, value, ...rest] = typed;
  if (choice === undefined) return ask(texts.menu);
  if (rest.length > 0) return end(texts.wrongChoice);
  if (choice === "1" && value === undefined) return balance(context);
  if (choice === "2") return value === undefined ? showRequest(context) : answerRequest(context, value);
  if (choice === "3" && value === undefined) return history(context);
  if (choice === "4") return value === undefined ? ask(texts.blockAsk) : blockCard(context, value);
  if (choice === "5") return value === undefined ? ask(texts.languages) : setLanguage(context, value);
  if (choice === "6" && value === undefined) return sendOwnCode(context);
  return end(texts.wrongChoice);
}

const householdOf = ({ deps, phone }: DialogueContext) => deps.box.open(phone.sealedHousehold);

/** The household's vouchers that can be spent today, the one that ends first at the beginning. */
async function usableVouchers(context: DialogueContext): Promise<Schemas["Voucher"][]> {
  const { client } = context;
  const query = { recipientDid: householdOf(context), status: "active", limit: 20 } as const;
  const { items: listed } = await client.get("/v1/vouchers", { query });
  // The list comes from the index and may be some seconds late; one voucher is read from the chain.
  const read = ({ id }: { id: string }) => client.get("/v1/vouchers/{voucherId}", { path: { voucherId: id } });
  const items = (await Promise.all(listed.map(read))).filter(({ status }) => status === "active");
  const today = context.deps.host.clock.now().toISOString().slice(0, 10);
  return items
    .filter(({ attributes }) => attributes.issuanceDate <= today)
    .sort((a, b) => (a.attributes.expiryDate < b.attributes.expiryDate ? -1 : 1));
}

async function balance(context: DialogueContext): Promise<UssdAnswer> {
  const texts = phoneTexts[context.phone.language];
  const usable = await usableVouchers(context);
  const first = usable[0]?.attributes.expiryDate;
  if (first === undefined) return end(texts.noVouchers);
  const sum = usable.reduce((total, { remainingBalance }) => total + toMicro(remainingBalance), 0n);
  return end(texts.balance(formatScaled(sum, 6), usable.length, first));
}

async function showRequest(context: DialogueContext): Promise<UssdAnswer> {
  const { deps, phone, client } = context;
  const texts = phoneTexts[phone.language];
  const request = await deps.store.waitingRequest(phone.householdHash, deps.host.clock.now());
  if (request === undefined) return end(texts.noRequest);
  const [supplier, product] = await Promise.all([
    nameOfSupplier(client, request.supplierDid),
    nameOfProduct(client, request.productId),
  ]);
  // Short names, so that the amount and the question are always shown whole.
  const text = texts.ask(supplier.slice(0, 30), product.slice(0, 30), formatScaled(request.amount, 6));
  return ask(text, { requestId: request.requestId });
}

/** Pay or refuse the request that this session showed. */
async function answerRequest(context: DialogueContext, typed: string): Promise<UssdAnswer> {
  const { deps, phone } = context;
  const texts = phoneTexts[phone.language];
  const requestId = await context.shownRequest("2");
  const request = requestId === undefined ? undefined : await deps.store.request(requestId);
  if (request === undefined || request.householdHash !== phone.householdHash) return end(texts.noRequest);
  // An earlier step of this household began it, such as this one before a restart.
  if (request.status === "sent") return end(texts.accepted);
  if (request.status !== "waiting" || request.expiresAt <= deps.host.clock.now()) return end(texts.noRequest);
  if (typed === "0") {
    const isRefused = await deps.store.changeRequest(request.requestId, "waiting", { status: "refused" });
    return end(isRefused ? texts.refused : texts.noRequest);
  }
  if (!/^\d{4,6}$/.test(typed)) return end(texts.pinWrong);
  const paying = payRequest(context, request, typed);
  const answer = await Promise.race([paying, sleep(patienceMs, undefined, { ref: false })]);
  if (answer !== undefined) return end(answer.text);
  context.goOn(
    paying.then(async ({ isRefused, text }) => {
      // The session ended before. A payment has its own SMS.
      if (isRefused) await sendSms(deps, phone, text);
    }),
  );
  return end(texts.accepted);
}

async function history(context: DialogueContext): Promise<UssdAnswer> {
  const { client, phone } = context;
  const { items: vouchers } = await client.get("/v1/vouchers", {
    query: { recipientDid: householdOf(context), limit: 50 },
  });
  const lists = await Promise.all(
    vouchers.map(({ id }) => client.get("/v1/redemptions", { query: { voucherId: id, limit: 100 } })),
  );
  const bought = lists.flatMap(({ items }) => items).sort((a, b) => (a.redeemedAt < b.redeemedAt ? 1 : -1));
  if (bought.length === 0) return end(phoneTexts[phone.language].noHistory);
  const lines = bought.slice(0, linesOfHistory).map(async ({ redeemedAt, amount, productId }) => {
    const product = await nameOfProduct(client, productId);
    return `${redeemedAt.slice(0, 10)} ${formatScaled(toMicro(amount), 6)} ${product.slice(0, 20)}`;
  });
  return end((await Promise.all(lines)).join("\n"));
}

async function blockCard(context: DialogueContext, typed: string): Promise<UssdAnswer> {
  const { client, phone } = context;
  const texts = phoneTexts[phone.language];
  if (typed !== "1") return end(typed === "0" ? texts.notBlocked : texts.wrongChoice);
  const { items } = await client.get("/v1/cards", { query: { householdDid: householdOf(context), limit: 100 } });
  const card = items.find(({ status }) => status === "linked" || status === "active");
  if (card === undefined) return end(texts.noCard);
  const { cardId } = card;
  await client.post("/v1/cards/{cardId}/block", { path: { cardId }, body: { reason: "Reported as lost by phone." } });
  return end(texts.blocked);
}

/** Send the household's next one-time code by SMS. */
async function sendOwnCode(context: DialogueContext): Promise<UssdAnswer> {
  const { deps, gateway, phone } = context;
  const texts = phoneTexts[phone.language];
  if (phone.stoppedAt !== null) return end(texts.noSms);
  const vouchers = await usableVouchers(context);
  const code = await firstCode(
    deps,
    gateway,
    vouchers.map(({ id }) => id),
  );
  if (code === undefined) return end(texts.noCode);
  for (const { most, windowSeconds } of ownCodes) {
    const subject = `phone-own-codes:${phone.householdHash}`;
    if (!(await deps.rateLimiter.consume(subject, most, windowSeconds)).allowed) return end(texts.tooManyCodes);
  }
  await sendSms(deps, phone, texts.ownCodeBySms(code));
  return end(texts.codeSent);
}

async function setLanguage({ deps, phone }: DialogueContext, typed: string): Promise<UssdAnswer> {
  const language = phoneLanguages[Number(typed) - 1];
  if (language === undefined || !/^\d$/.test(typed)) return end(phoneTexts[phone.language].wrongChoice);
  await deps.store.changePhone(phone.numberHash, { language });
  return end(phoneTexts[language].languageSet);
}
