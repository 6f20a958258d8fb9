import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { from: string; to: string[]; headers: Map<string, string>; text: string };

/** A real SMTP server on a free port, which keeps what it receives. */
export type MailServer = {
  url: string;
  received: ReceivedMail[];
  /** Addresses that it always refuses. */
  refused: Set<string>;
  /** While true, it refuses everything for now. */
  busy: boolean;
  close: () => Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const refused = new Set<string>();
  const received: ReceivedMail[] = [];
  const mail: MailServer = { url: "", received, refused, busy: false, close: async () => {} };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo({ address }, _session, done) {
      if (mail.busy) return done(Object.assign(new Error("Try again later"), { responseCode: 451 }));
      if (refused.has(address)) return done(Object.assign(new Error("No such mailbox"), { responseCode: 550 }));
      done();
    },
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, ...readMail(Buffer.concat(parts).toString("utf8")) });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  mail.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  mail.close = () => new Promise((resolve) => server.close(() => resolve()));
  return mail;
}

/** Headers and text of a plain message, quoted-printable undone. */
function readMail(source: string): { headers: Map<string, string>; text: string } {
  const [head = "", ...rest] = source.split("\r\n\r\n");
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  const body = rest.join("\r\n\r\n").replaceAll("\r\n", "\n");
  if (headers.get("content-transfer-encoding") !== "quoted-printable") return { headers, text: body };
  const bytes = body
    .replaceAll("=\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { headers, text: Buffer.from(bytes, "latin1").toString("utf8") };
}
