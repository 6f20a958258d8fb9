import { once } from "node:events";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pdu, Session } from "smpp";
import { OutboundError } from "../../../api/platform/outbound/index.ts";
import type { SmsSettings } from "../gateways/schemas.ts";
import { type Sms, SmsGatewayError } from "../sms/gateway-send.ts";
import { headerOf, splitSms } from "../sms/parts.ts";
import { type Incoming, readDelivery, sourceOf } from "./delivery.ts";

export type SmppSettings = Extract<SmsSettings, { kind: "smpp" }>;

/** Pauses of a link. Tests set shorter ones. */
export type LinkTimes = {
  answerMs: number;
  /** Between two questions whether the other side is there. */
  enquireMs: number;
  /** Before the first new connection; doubled up to `longestPauseMs`. */
  pauseMs: number;
  longestPauseMs: number;
  /** After an answer that says "too fast". */
  throttledMs: number;
};
const usualTimes: LinkTimes = {
  answerMs: 10_000,
  enquireMs: 30_000,
  pauseMs: 1_000,
  longestPauseMs: 60_000,
  throttledMs: 1_000,
};

export type LinkEvents = {
  /** Store what came. The other side gets its answer afterwards, and sends it again when this fails. */
  received: (incoming: Incoming) => Promise<void>;
  /** Note a change for the log, without numbers and texts. */
  note: (level: "info" | "warn", what: string, more?: Record<string, unknown>) => void;
};

/** ESME_RMSGQFUL and ESME_RTHROTTLED: try again later. */
const tooFast = new Set([0x14, 0x58]);
/** ESME_RX_T_APPN: could not be handled now; send it again. */
const tryAgain = 0x64;
const triesWhenThrottled = 4;

/** A lasting connection to an SMSC, which both sends and receives. It connects again whenever it ends. */
export class SmppLink {
  readonly #settings: SmppSettings;
  readonly #events: LinkEvents;
  readonly #times: LinkTimes;
  readonly #lookup: ((host: string) => LookupFunction) | undefined;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #session: Session | undefined;
  #nextSubmitAt = 0;

  /** @param lookup name resolution that checks addresses, by the host; absent: the system's */
  constructor(
    settings: SmppSettings,
    events: LinkEvents,
    times: Partial<LinkTimes> = {},
    lookup?: (host: string) => LookupFunction,
  ) {
    this.#settings = settings;
    this.#events = events;
    this.#lookup = lookup;
    this.#times = { ...usualTimes, ...times };
    this.#done = this.#keepConnected();
  }

  /** Whether the SMSC accepted this system and the connection stands. */
  get isBound(): boolean {
    return this.#session !== undefined;
  }

  /**
   * Send an SMS, in parts when it is long.
   * @returns the ids that the SMSC gave to the parts
   * @throws SmsGatewayError
   */
  async send({ to, text, id }: Sms): Promise<string[]> {
    const { coding, parts } = splitSms(text);
    const ids: string[] = [];
    for (const [index, message] of parts.entries()) {
      const header = parts.length === 1 ? {} : { udh: headerOf(id, index + 1, parts.length) };
      ids.push(
        await this.#submit({
          ...sourceOf(this.#settings.from),
          dest_addr_ton: 1,
          dest_addr_npi: 1,
          destination_addr: to.replace(/^\+/, ""),
          data_coding: coding === "gsm" ? 0 : 8,
          registered_delivery: 1,
          short_message: { ...header, message },
        }),
      );
    }
    return ids;
  }

  /** End the connection after saying so to the SMSC. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #submit(message: Record<string, unknown>): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      await this.#waitForTurn();
      const session = this.#session;
      if (session === undefined) throw new SmsGatewayError("There is no connection to the SMSC.");
      const answer = await ask(session, this.#times.answerMs, (answered) => session.submit_sm(message, answered));
      if (answer.command_status === 0) {
        if (answer.message_id) return answer.message_id;
        throw new SmsGatewayError("The SMSC named no message.");
      }
      if (!tooFast.has(answer.command_status) || tries === triesWhenThrottled) {
        throw new SmsGatewayError(`The SMSC answered ${answer.command_status}.`);
      }
      await sleep(this.#times.throttledMs * tries);
    }
  }

  /** Keep to the number of messages a second that was agreed with the operator. */
  async #waitForTurn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextSubmitAt);
    this.#nextSubmitAt = at + 1000 / this.#settings.perSecond;
    if (at > now) await sleep(at - now);
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stop;
    let pause = this.#times.pauseMs;
    while (!signal.aborted) {
      try {
        await this.#connectOnce(() => {
          pause = this.#times.pauseMs;
        });
      } catch (error) {
        this.#events.note("warn", "the connection to an SMSC ended", { reason: reasonOf(error) });
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, this.#times.longestPauseMs);
    }
  }

  /** Connect, and return when the link is closed. @throws when the connection ends otherwise */
  async #connectOnce(bound: () => void): Promise<void> {
    const { default: smpp } = await import("smpp");
    const { hostname, port, protocol } = new URL(this.#settings.url);
    const tls = protocol === "ssmpp:";
    const host = hostname.replace(/^\[|\]$/g, "");
    const lookup = this.#lookup === undefined ? {} : { lookup: this.#lookup(host) };
    const over = new AbortController();
    const stop = () => over.abort();
    this.#stop.signal.addEventListener("abort", stop, { once: true });
    const session = smpp.connect({ host, port: Number(port || (tls ? 3550 : 2775)), tls, ...lookup });
    // The library reads no further after an error, so the connection ends too.
    session.on("error", (error: Error) => {
      over.abort(error);
      session.destroy();
    });
    session.on("close", () => over.abort(closedEarly()));
    session.on("pdu", (pdu: Pdu) => this.#answer(session, pdu));
    try {
      await this.#bind(session, tls, over.signal);
      this.#session = session;
      this.#events.note("info", "connected to an SMSC");
      bound();
      // Ask again and again whether the other side is there.
      for (;;) {
        await sleep(this.#times.enquireMs, undefined, { signal: over.signal });
        await ask(session, this.#times.answerMs, (answered) => session.enquire_link(answered));
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw over.signal.aborted ? over.signal.reason : error;
      if (this.#session !== undefined) await this.#unbind(session);
    } finally {
      this.#stop.signal.removeEventListener("abort", stop);
      this.#session = undefined;
      session.destroy();
    }
  }

  async #bind(session: Session, tls: boolean, over: AbortSignal): Promise<void> {
    const { systemId, password, systemType = "" } = this.#settings;
    const { answerMs } = this.#times;
    const limit = AbortSignal.any([over, AbortSignal.timeout(answerMs)]);
    await once(session, tls ? "secureConnect" : "connect", { signal: limit });
    const order = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 };
    const answer = await ask(session, answerMs, (answered) => session.bind_transceiver(order, answered));
    if (answer.command_status !== 0) throw new SmsGatewayError(`The SMSC refused to bind: ${answer.command_status}.`);
  }

  async #unbind(session: Session): Promise<void> {
    try {
      await ask(session, this.#times.answerMs, (answered) => session.unbind(answered));
    } catch (error) {
      if (!(error instanceof SmsGatewayError)) throw error;
    }
  }

  #answer(session: Session, pdu: Pdu): void {
    if (pdu.isResponse()) return;
    if (pdu.command === "unbind") {
      session.send(pdu.response(), () => session.close());
      return;
    }
    const incoming = readDelivery(pdu);
    // Anything else, such as enquire_link, is answered by itself; what is unknown, by a refusal.
    if (incoming === undefined) {
      session.send(pdu.response());
      return;
    }
    this.#events.received(incoming).then(
      () => session.send(pdu.response()),
      (error: unknown) => {
        this.#events.note("warn", "a message of an SMSC was not stored", { reason: (error as Error).name });
        session.send(pdu.response({ command_status: tryAgain }));
      },
    );
  }
}

/** Send a request and wait for its answer. @throws SmsGatewayError when none comes */
async function ask(
  session: Session,
  answerMs: number,
  send: (answered: (answer: Pdu) => void) => boolean,
): Promise<Pdu> {
  return await new Promise<Pdu>((resolve, reject) => {
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    const closed = () => fail(closedEarly());
    const timer = setTimeout(() => fail(noAnswer()), answerMs);
    const settle = () => {
      clearTimeout(timer);
      session.off("close", closed);
    };
    session.on("close", closed);
    const isSent = send((answer) => {
      settle();
      resolve(answer);
    });
    if (!isSent) closed();
  });
}

const noAnswer = () => new SmsGatewayError("The SMSC did not answer in time.");
const closedEarly = () => new SmsGatewayError("The connection to the SMSC ended.");

/** Why a connection ended, for the log. */
function reasonOf(error: unknown): string {
  if (error instanceof SmsGatewayError || error instanceof OutboundError) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}
