import { newId } from "../../../api/platform/new-id.ts";
import type { PhoneDeps } from "../deps.ts";
import type { SmsSettings } from "../gateways/schemas.ts";
import { reportUrlOf, smsSettingsOf } from "../gateways/service.ts";
import { toSms } from "../gsm.ts";
import type { GatewayRow, MessageRow, PhoneRow } from "../tables.ts";
import { gatewaySend, type Sms, SmsGatewayError } from "./gateway-send.ts";
import { fitSms } from "./parts.ts";

const maxTries = 8;
const firstPauseMs = 30_000;
const messagesAtOnce = 50;

/** Store an SMS to a phone; the outbox sends it. A phone that sent STOP gets none. */
export async function sendSms(
  deps: PhoneDeps,
  phone: Pick<PhoneRow, "sealedNumber" | "stoppedAt">,
  text: string,
): Promise<void> {
  if (phone.stoppedAt === null) await deps.store.addMessage(newMessage(deps, phone, text));
}

/** Write a message to a phone, which waits to be sent. */
export function newMessage({ box, host }: PhoneDeps, phone: Pick<PhoneRow, "sealedNumber">, text: string): MessageRow {
  const createdAt = host.clock.now();
  return {
    id: newId(createdAt),
    sealedNumber: phone.sealedNumber,
    sealedText: box.seal(fitSms(toSms(text))),
    status: "waiting",
    tries: 0,
    nextTryAt: createdAt,
    createdAt,
  };
}

/** Send the messages that are due, through the newest gateway. A gateway that fails is tried again, up to 8 times. */
export async function sendDueMessages(deps: PhoneDeps, signal: AbortSignal): Promise<void> {
  const { store, host, box } = deps;
  const now = host.clock.now();
  const due = await store.dueMessages(now, messagesAtOnce);
  if (due.length === 0) return;
  const gateway = await store.current({ sms: true });
  const settings = gateway && smsSettingsOf(deps, gateway);
  if (gateway === undefined || settings === undefined || !isReady(deps, gateway)) return;
  for (const message of due) {
    if (signal.aborted) return;
    if (!(await store.takeMessage(message, new Date(now.getTime() + pauseOf(message))))) continue;
    try {
      const sms = { to: box.open(message.sealedNumber), text: box.open(message.sealedText), id: message.id };
      const ids = await sendThrough(deps, gateway, settings, sms, signal);
      await store.messageSent(message.id, gateway.id, ids, host.clock.now());
    } catch (error) {
      // Without the error's message: a gateway may repeat the number.
      const reason = error instanceof Error ? error.name : "unknown";
      host.log.warn({ messageId: message.id, tries: message.tries + 1, reason }, "an SMS could not be sent");
      if (message.tries + 1 >= maxTries) await store.failMessage(message.id);
    }
  }
}

/** Whether messages can be sent now. While a connection is made again, they wait and no try is counted. */
const isReady = ({ links }: PhoneDeps, { kind, id }: GatewayRow) => kind !== "smpp" || links.get(id)?.isBound === true;

async function sendThrough(
  deps: PhoneDeps,
  gateway: GatewayRow,
  settings: SmsSettings,
  sms: Sms,
  signal: AbortSignal,
): Promise<string[]> {
  if (settings.kind === "simulator") return [sms.id];
  if (settings.kind !== "smpp") return [await gatewaySend(settings, sms, reportUrlOf(deps, gateway), signal)];
  const link = deps.links.get(gateway.id);
  if (link === undefined) throw new SmsGatewayError("There is no connection to the SMSC.");
  return await link.send(sms);
}

const pauseOf = ({ tries }: MessageRow) => firstPauseMs * 2 ** tries;
