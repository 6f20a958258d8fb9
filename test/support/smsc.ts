import type { AddressInfo } from "node:net";
import smpp, { type Pdu, type Session } from "smpp";

export type TakenSms = { id: string; to: string; text: string; header: Buffer | undefined; coding: number };
export type Smsc = {
  port: number;
  /** Every SMS that it took, in order. */
  taken: TakenSms[];
  /** Connections that are bound now. */
  bound: Session[];
  /** How often it answered enquire_link. */
  enquiries: () => number;
  /** Answer the next messages with these statuses, and take no message for them. */
  refuse: (...statuses: number[]) => void;
  /** Answer no enquire_link any more, as when the line is dead. */
  fallSilent: () => void;
  /** Bring an SMS of a person. Resolves to the status of the answer. */
  bring: (from: string, text: string) => Promise<number>;
  /** Bring a delivery report. Resolves to the status of the answer. */
  report: (id: string, word: string) => Promise<number>;
  close: () => Promise<void>;
};

/** A mobile operator's message centre for tests: the server of the SMPP library, on a free port. It stands for the partner outside. */
export async function startSmsc(password: string, port = 0): Promise<Smsc> {
  const taken: TakenSms[] = [];
  const bound: Session[] = [];
  const refusals: number[] = [];
  let enquiries = 0;
  let isSilent = false;
  let count = 0;
  const sessions = new Set<Session>();

  const answerSubmit = (session: Session, pdu: Pdu) => {
    const status = refusals.shift();
    if (status !== undefined) return void session.send(pdu.response({ command_status: status }));
    count += 1;
    const message = pdu.short_message;
    const sms = {
      id: `smsc-${count}`,
      to: pdu.destination_addr ?? "",
      text: String(message?.message ?? ""),
      header: message?.udh?.[0],
      coding: pdu.data_coding ?? 0,
    };
    taken.push(sms);
    session.send(pdu.response({ message_id: sms.id }));
  };
  const server = smpp.createServer((session) => {
    sessions.add(session);
    session.on("error", () => session.destroy());
    session.on("close", () => {
      sessions.delete(session);
      if (bound.includes(session)) bound.splice(bound.indexOf(session), 1);
    });
    const bind = (pdu: Pdu) => {
      const isRight = pdu.password === password;
      // 0x0e: ESME_RINVPASWD.
      session.send(pdu.response(isRight ? { system_id: "smsc" } : { command_status: 0x0e }));
      if (isRight) bound.push(session);
    };
    for (const command of ["bind_transceiver", "bind_transmitter", "bind_receiver"]) session.on(command, bind);
    session.on("submit_sm", (pdu: Pdu) => answerSubmit(session, pdu));
    session.on("enquire_link", (pdu: Pdu) => {
      if (isSilent) return;
      enquiries += 1;
      session.send(pdu.response());
    });
    session.on("unbind", (pdu: Pdu) => session.send(pdu.response(), () => session.close()));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

  const deliver = (fields: Record<string, unknown>) =>
    new Promise<number>((resolve, reject) => {
      const session = bound.at(-1);
      if (session === undefined) return reject(new Error("Nobody is bound to the SMSC."));
      session.deliver_sm(fields, (answer) => resolve(answer.command_status));
    });
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    bound,
    enquiries: () => enquiries,
    refuse: (...statuses) => void refusals.push(...statuses),
    fallSilent: () => {
      isSilent = true;
    },
    bring: (from, text) =>
      deliver({
        source_addr_ton: 1,
        source_addr_npi: 1,
        source_addr: from.replace(/^\+/, ""),
        destination_addr: "384",
        short_message: text,
      }),
    report: (id, word) =>
      deliver({
        esm_class: 4,
        source_addr: "260971234567",
        destination_addr: "384",
        short_message: `id:${id} sub:001 dlvrd:001 submit date:2611261200 done date:2611261201 stat:${word} err:000 text:`,
      }),
    close: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}
