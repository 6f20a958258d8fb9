/** The part of the SMPP library that is used here; it has no types. */
declare module "smpp" {
  import type { EventEmitter } from "node:events";
  import type { Server as NetServer, Socket } from "node:net";

  /** A message with its header parts (UDH), if it has some. Bytes where the encoding is unknown. */
  export type Message = { udh?: Buffer[]; message: string | Buffer };

  export type Pdu = {
    command: string;
    command_status: number;
    sequence_number: number;
    esm_class?: number;
    data_coding?: number;
    source_addr?: string;
    source_addr_ton?: number;
    destination_addr?: string;
    registered_delivery?: number;
    short_message?: Message;
    message_payload?: Message;
    message_id?: string;
    receipted_message_id?: string;
    message_state?: number;
    system_id?: string;
    password?: string;
    isResponse(): boolean;
    response(options?: Record<string, unknown>): Pdu;
  };

  export class Session extends EventEmitter {
    socket: Socket;
    /** @returns false when the connection cannot be written to; no answer comes then */
    send(pdu: Pdu, answered?: (answer: Pdu) => void): boolean;
    close(closed?: () => void): void;
    destroy(closed?: () => void): void;
    bind_transceiver(options: Record<string, unknown>, answered: (answer: Pdu) => void): boolean;
    submit_sm(options: Record<string, unknown>, answered: (answer: Pdu) => void): boolean;
    deliver_sm(options: Record<string, unknown>, answered?: (answer: Pdu) => void): boolean;
    enquire_link(answered: (answer: Pdu) => void): boolean;
    unbind(answered: (answer: Pdu) => void): boolean;
  }

  const smpp: {
    connect(options: { host: string; port: number; tls: boolean }): Session;
    createServer(onSession: (session: Session) => void): NetServer;
    errors: Record<string, number>;
  };
  export default smpp;
}
