import { setTimeout as sleep } from "node:timers/promises";
import type { RateLimiter } from "../../../api/platform/http/index.ts";
import { HearthError } from "../../../wire/src/index.ts";
import type { PhoneDeps } from "../deps.ts";
import { clientOf } from "../gateways/service.ts";
import { fitGsm, MAX_SEPTETS, toGsm } from "../gsm.ts";
import type { GatewayRow } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import { answerStep, type UssdAnswer } from "./dialogue.ts";

/** A call of Africa's Talking. `text` is everything that was typed, joined with `*`. It may hold a PIN: it is never logged. */
export type UssdCall = { sessionId: string; phoneNumber: string; text: string };

/** A step that runs longer was interrupted by a restart, and may run again: payments are carried out once. */
const abandonedMs = 60_000;
const pauseMs = 100;
/** How long a repeated call waits for the answer of the first one. */
const waitMs = 15_000;
const prefix = { ends: "END ", goesOn: "CON " } as const;

/**
 * Answer a step of a USSD session, in at most 160 characters of the GSM alphabet. The same session and text get the same answer.
 */
export async function receiveUssd(
  deps: PhoneDeps & { rateLimiter: RateLimiter },
  gateway: GatewayRow,
  { sessionId, phoneNumber, text }: UssdCall,
  goOn: (work: Promise<unknown>) => void,
): Promise<string> {
  const { box, host, store } = deps;
  const phone = await store.phone(box.hash(phoneNumber));
  if (phone === undefined) return writeUssd({ text: phoneTexts[gateway.language].unknownPhone, ends: true });
  // A number that belongs to another household now starts again.
  const session = `${phone.numberHash} ${phone.householdHash} ${sessionId}`;
  const stepOf = (typed: string) => ({ sessionHash: box.hash(session), textHash: box.hash(`${session} ${typed}`) });
  const step = stepOf(text);
  const now = host.clock.now();
  if (!(await store.beginStep(step, now, new Date(now.getTime() - abandonedMs)))) {
    return (await earlierAnswer(deps, step)) ?? writeUssd({ text: phoneTexts[phone.language].later, ends: true });
  }
  const answer = await answerStep(
    {
      deps,
      gateway,
      client: clientOf(deps, gateway),
      phone,
      shownRequest: async (earlier) => (await store.step(stepOf(earlier)))?.requestId ?? undefined,
      goOn,
    },
    text === "" ? [] : text.split("*"),
  ).catch((error: unknown): UssdAnswer => {
    // Without the error's message: it may name a household.
    const reason =
      error instanceof HearthError ? `${error.code} ${error.requestId ?? ""}` : String((error as Error)?.name);
    host.log.error({ reason, gatewayId: gateway.id }, "a USSD step failed");
    return { text: phoneTexts[phone.language].later, ends: true };
  });
  const written = writeUssd(answer);
  await store.finishStep(step, { sealedAnswer: box.seal(written), requestId: answer.requestId ?? null });
  return written;
}

async function earlierAnswer(
  { store, box }: PhoneDeps,
  step: { sessionHash: string; textHash: string },
): Promise<string | undefined> {
  for (let waited = 0; waited < waitMs; waited += pauseMs) {
    const sealed = (await store.step(step))?.sealedAnswer;
    if (sealed) return box.open(sealed);
    await sleep(pauseMs);
  }
  return undefined;
}

/** Write an answer in the GSM alphabet, in at most 160 characters with what says whether the session ends. */
export function writeUssd({ text, ends }: UssdAnswer): string {
  const start = ends ? prefix.ends : prefix.goesOn;
  return start + fitGsm(toGsm(text), MAX_SEPTETS - start.length);
}
