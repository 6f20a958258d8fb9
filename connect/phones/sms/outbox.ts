import { newId } from "../../../api/platform/new-id.ts";
import { OutboundError } from "../../../api/platform/outbound/index.ts";
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
/** Pause while there is no gateway, or no connection to it. */
const notReadyMs = 5_000;

/** Store an SMS to a phone; the outbox sends it. A phone that sent STOP gets none. */
export async function sendSms(deps: PhoneDeps, phone: PhoneRow, text: string): Promise<void> {
  if (phone.stoppedAt !== null) return;
  await deps.store.addMessage(newMessage(deps, phone, text));
  deps.wake.outbox();
}

/** Write a message to a phone, which waits to be sent. */
export function newMessage({ box, host }: PhoneDeps, phone: PhoneRow, text: string): MessageRow {
  const createdAt = host.clock.now();
  return {
    id: newId(createdAt),
    numberHash: phone.numberHash,
    sealedNumber: phone.sealedNumber,
    sealedText: box.seal(fitSms(toSms(text))),
    status: "waiting",
    tries: 0,
    nextTryAt: createdAt,
    createdAt,
  };
}

/**
 * Send the messages that are due, through the newest gateway. A gateway that fails is tried again, up to 8 times.
 * @returns when to look again: when the next message is due; undefined when none waits
 */
export async function sendDueMessages(deps: PhoneDeps, signal: AbortSignal): Promise<Date | undefined> {
  const { store, host } = deps;
  const now = host.clock.now();
  const due = await store.dueMessages(now, messagesAtOnce);
  if (due.length === 0) return await store.nextMessageAt();
  const gateway = await store.current({ sms: true });
  const settings = gateway && smsSettingsOf(deps, gateway);
  // Nobody can take them now.
  if (gateway === undefined || settings === undefined || !isReady(deps, gateway))
    return new Date(now.getTime() + notReadyMs);
  await sendAll(deps, due, { gateway, settings, now, signal });
  return await store.nextMessageAt();
}

type Way = { gateway: GatewayRow; settings: SmsSettings; now: Date; signal: AbortSignal };

async function sendAll(
  deps: PhoneDeps,
  due: readonly MessageRow[],
  { gateway, settings, now, signal }: Way,
): Promise<void> {
  const { store, host, box } = deps;
  for (const message of due) {
    if (signal.aborted) return;
    if (!(await store.takeMessage(message, new Date(now.getTime() + pauseOf(message))))) continue;
    try {
      const sms = { to: box.open(message.sealedNumber), text: box.open(message.sealedText), id: message.id };
      const ids = await sendThrough(deps, gateway, settings, sms, signal);
      await store.messageSent(message.id, gateway.id, ids, host.clock.now());
    } catch (error) {
      const reason = reasonOf(error);
      host.log.warn({ messageId: message.id, tries: message.tries + 1, reason }, "an SMS could not be sent");
      if (message.tries + 1 >= maxTries) await store.failMessage(message.id);
    }
  }
}

/** For the log. Only messages of this process: a gateway may repeat the number in an error. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundError || error instanceof SmsGatewayError) return error.message;
  return error instanceof Error ? error.name : "unknown";
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
  if (settings.kind !== "smpp") {
    const order = { sms, reportUrl: reportUrlOf(deps, gateway), signal };
    return [await gatewaySend(deps.host.callOutside, settings, order)];
  }
  const link = deps.links.get(gateway.id);
  if (link === undefined) throw new SmsGatewayError("There is no connection to the SMSC.");
  return await link.send(sms);
}

const pauseOf = ({ tries }: MessageRow) => firstPauseMs * 2 ** tries;
