import type { Transporter } from "nodemailer";
import { loopbackHosts } from "../values/loopback.ts";
import { SendError } from "./send-error.ts";

export type Mail = { to: string; subject: string; text: string; id: string; endUrl: string | undefined };
export type Mailer = { send: (mail: Mail) => Promise<void>; close: () => void };
export type MailSettings = { smtpUrl: string; from: string };

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** Open the mail server of SMTP_URL. Without `requireTLS=false` in the URL, mail leaves this machine only encrypted. */
export function openMailer({ smtpUrl, from }: MailSettings): Mailer {
  const options = {
    ...smtpOptions(smtpUrl),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A message names no files and no URLs to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let transport: Promise<Transporter> | undefined;
  const connect = async () => {
    const { default: nodemailer } = await import("nodemailer");
    return nodemailer.createTransport(options, { from });
  };
  return {
    async send({ to, subject, text, id, endUrl }) {
      const headers =
        endUrl === undefined
          ? {}
          : { "List-Unsubscribe": `<${endUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
      const domain = from.replace(/^.*@/, "").replace(/>$/, "");
      try {
        transport ??= connect();
        await (await transport).sendMail({
          to: { name: "", address: to },
          subject,
          text,
          // The same message keeps its id when it is sent again, so that mail servers can tell.
          messageId: `<${id}@${domain}>`,
          headers: { ...headers, "Auto-Submitted": "auto-generated" },
        });
      } catch (error) {
        throw explain(error);
      }
    },
    close: () =>
      void transport?.then(
        (opened) => opened.close(),
        // What did not open has nothing to close; `send` has reported the error.
        () => undefined,
      ),
  };
}

/** Options for nodemailer. The URL's query may hold more of its options, such as `pool=true`. */
function smtpOptions(smtpUrl: string): { url: string; requireTLS?: boolean } {
  const url = new URL(smtpUrl);
  const isLocal = loopbackHosts.has(url.hostname);
  if (!isLocal && url.protocol === "smtp:" && !url.searchParams.has("requireTLS")) {
    url.searchParams.set("requireTLS", "true");
  }
  return { url: url.href };
}

/** Tell a refused address from trouble with the mail server, without the address itself. */
function explain(error: unknown): SendError {
  const {
    code = "unknown",
    responseCode,
    command,
  } = error as {
    code?: string;
    responseCode?: number;
    command?: string;
  };
  const isRefused = command === "RCPT TO" && responseCode !== undefined && responseCode >= 500;
  const reply = responseCode === undefined ? code : `${code}, ${responseCode}`;
  return new SendError(
    isRefused ? `The mail server refuses this address (${reply}).` : `The mail server did not take it (${reply}).`,
    { isFinal: isRefused },
  );
}
