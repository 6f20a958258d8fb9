import { newId } from "../../../api/platform/new-id.ts";
import type { PhoneDeps } from "../deps.ts";
import { smsSettingsOf } from "../gateways/service.ts";
import { fitGsm, toGsm } from "../gsm.ts";
import type { MessageRow, PhoneRow } from "../tables.ts";
import { gatewaySend } from "./gateway-send.ts";

const maxTries = 8;
const firstPauseMs = 30_000;
const messagesAtOnce = 50;

/** Store an SMS to a phone; the outbox sends it. A phone that sent STOP gets none. `always`: the answer to STOP itself. */
export async function sendSms(
  { box, host, store }: PhoneDeps,
  phone: Pick<PhoneRow, "sealedNumber" | "stoppedAt">,
  text: string,
  { always = false } = {},
): Promise<void> {
  if (phone.stoppedAt !== null && !always) return;
  const createdAt = host.clock.now();
  await store.addMessage({
    id: newId(createdAt),
    sealedNumber: phone.sealedNumber,
    sealedText: box.seal(fitGsm(toGsm(text))),
    status: "waiting",
    gatewayMessageId: null,
    tries: 0,
    nextTryAt: createdAt,
    createdAt,
  });
}

/** Send the messages that are due, through the newest gateway. A gateway that fails is tried again, up to 8 times. */
export async function sendDueMessages(deps: PhoneDeps, signal: AbortSignal): Promise<void> {
  const { store, host, box } = deps;
  const now = host.clock.now();
  const due = await store.dueMessages(now, messagesAtOnce);
  if (due.length === 0) return;
  const gateway = await store.current({ sms: true });
  const settings = gateway && smsSettingsOf(deps, gateway);
  if (settings === undefined) return;
  for (const message of due) {
    if (signal.aborted) return;
    if (!(await store.takeMessage(message, new Date(now.getTime() + pauseOf(message))))) continue;
    try {
      const to = box.open(message.sealedNumber);
      const sent = await gatewaySend(settings, { to, text: box.open(message.sealedText), id: message.id }, signal);
      await store.changeMessage(message.id, { status: "sent", gatewayMessageId: sent });
    } catch (error) {
      // Without the error's message: a gateway may repeat the number.
      const reason = error instanceof Error ? error.name : "unknown";
      host.log.warn({ messageId: message.id, tries: message.tries + 1, reason }, "an SMS could not be sent");
      if (message.tries + 1 >= maxTries) await store.changeMessage(message.id, { status: "failed" });
    }
  }
}

const pauseOf = ({ tries }: MessageRow) => firstPauseMs * 2 ** tries;
