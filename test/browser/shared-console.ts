import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { atProcessEnd } from "../support/process-end.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import type { Stack } from "../support/stack.ts";
import { type ConsoleTest, consoleOn, startConsoleSystem } from "./console.ts";

/** Settings of systems: the oracle of `paid` has a price. */
const settings = { free: {}, paid: { ORACLE_PRICE: "250000", ORACLE_FREE_MESSAGES: "1" } };

type System = keyof typeof settings;
const systems = new Map<System, Promise<Stack>>();

/**
 * The console of a whole system that the files of one process share, in a browser that they share too. A file names its participants
 * differently from other files, and restores what all see, such as a paused contract. `args` are for Chromium, such as a fake camera.
 */
export async function openSharedConsole({
  args,
  system = "free",
}: {
  args?: string[];
  system?: System;
} = {}): Promise<ConsoleTest> {
  return consoleOn(await sharedSystem(system), await sharedBrowser(args));
}

async function sharedSystem(system: System): Promise<Stack> {
  const running = systems.get(system) ?? start(system);
  systems.set(system, running);
  return await running;
}

let mail: Promise<MailServer> | undefined;

/** The mail server of the shared systems. */
export function sharedMail(): Promise<MailServer> {
  mail ??= startMailServer().then((server) => {
    atProcessEnd(() => server.close());
    return server;
  });
  return mail;
}

async function start(system: System): Promise<Stack> {
  const { url } = await sharedMail();
  const mailSettings = { SMTP_URL: url, MAIL_FROM: "Hearth <hearth@example.org>" };
  const stack = await startConsoleSystem({ ...settings[system], ...mailSettings });
  atProcessEnd(() => stack.remove());
  return stack;
}
