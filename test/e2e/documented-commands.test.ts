import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { after, before, it } from "node:test";
import { peerApiKey, startCadTrustPeer } from "../support/cad-trust-peer.ts";
import { exifPhoto } from "../support/exif-photo.ts";
import { koboToken, startKoboPeer } from "../support/kobo-peer.ts";
import { usePhone } from "../support/odk-phone.ts";
import { createStack, type Stack } from "../support/stack.ts";
import { untilFound } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "hearth-documented-"));
let stack: Stack;
before(async () => {
  // Without a key in the environment the first start creates the admin key, as the pages expect.
  stack = await createStack({ env: { ADMIN_API_KEY: "" } });
  await stack.start();
});
after(async () => {
  await stack?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The blocks of commands in a text, with this system's data folder, and with files that they write in a temporary folder. */
function commandBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, commands = ""]) => commands);
  assert.ok(blocks.length > 0);
  return blocks.map((block) =>
    block
      .replaceAll("/tmp/", `${folder}/`)
      .replaceAll(".hearth/keys", join(stack.dataDir, "keys"))
      .replaceAll(/(?<=[> @])(hello\.txt|\w+\.(?:json|pdf|jpg))\b/g, join(folder, "$1"))
      .replaceAll(/curl -s(N?) /g, "curl -s$1 --fail-with-body "),
  );
}

const commandsOf = (text: string): string => commandBlocks(text).join("\n");

function bash(commands: string) {
  const { port } = new URL(stack.url);
  return spawn("bash", ["-eo", "pipefail", "-c", commands], {
    env: {
      ...process.env,
      PORT: port,
      DATA_DIR: stack.dataDir,
      ISSUER_KEY: join(stack.dataDir, "issuer-key.json"),
    },
    timeout: 240_000,
  });
}

/** Run commands in bash as a reader does, until one fails. @returns what they printed */
async function run(commands: string): Promise<string> {
  const child = bash(commands);
  child.stdin.end();
  const printed = Promise.all([readText(child.stdout), readText(child.stderr)]);
  const [status] = await once(child, "close");
  const [stdout, stderr] = await printed;
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

/** A page's commands, by their order. Pages about the field continue docs/first-vouchers.md in the same terminal. */
const firstVouchers = () => commandBlocks(readFileSync("docs/first-vouchers.md", "utf8"));

it("the commands of docs/first-vouchers.md lead from a certificate to a payment and its trace", async () => {
  const printed = await run(commandsOf(readFileSync("docs/first-vouchers.md", "utf8")));
  const redemption = /"redemptionId":"(REDM-\w+)"/.exec(printed)?.[1];
  assert.match(printed, /"status":"approved","carbonAmount":12.5,"settlement":\{"asset":"stablecoin","amount":0.25/);
  assert.match(printed, new RegExp(`^VCHR-\\w+ redeemed ${redemption}$`, "m"));
});

// After the first vouchers, because the pool must have CARBON to sell.
it("the commands of the README's first five minutes work twice, for every kind of user", async () => {
  const [, section = ""] = /\n## The first five minutes\n([\s\S]*?)\n## /.exec(readFileSync("README.md", "utf8")) ?? [];
  const once = `${commandsOf(section)}\nkill $!\nwait $! || true\n`;
  // The pool of this small scheme has CARBON for one swap.
  const again = once.replace(/^n=.*$/m, "n=$((n + 1))").replace(/^KEY=.*swap\.mjs.*$/m, "");
  // The stream of events must not outlive a command that fails.
  const printed = await run(`trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${once}${again}`);
  assert.equal([...printed.matchAll(/"did":"did:ixo:household\/\d+","status":"registered"/g)].length, 2);
  assert.match(printed, /POST \/pool\/swap 201/);
  assert.match(printed, /"party":"ZMB"/);
  assert.match(printed, /^\+hello there$/m);
});

it("the commands of docs/files.md store, read, change, move and purge a file", async () => {
  const [, section = ""] = /\n## Routes\n([\s\S]*?)\n###? /.exec(readFileSync("docs/files.md", "utf8")) ?? [];
  const printed = await run(commandsOf(section));
  assert.match(printed, /"path":"\/archive\/hello\.txt"/);
  assert.match(printed, /"receipt":"ey/);
});

it("the commands of docs/cards.md print cards and codes, link a card and redeem with its PIN", async () => {
  const [terminal = "", , , register = ""] = firstVouchers();
  const serials = '"firstSerial":1,"lastSerial":100';
  const another = register
    .replaceAll("CERT-1", "CERT-2")
    .replaceAll("2025", "2024")
    .replace(serials, '"firstSerial":101,"lastSerial":200');
  const issuer = `issuer=$(node docs/examples/issuer.mjs)\n`;
  const printed = await run(`${terminal}${issuer}${another}${commandsOf(readFileSync("docs/cards.md", "utf8"))}`);
  assert.match(printed, /household did:ixo:household\/123\n.* linked by admin.*\n.* active by admin/);
  assert.match(printed, /"redemptionId":"REDM-\w+"[^\n]*"consent":"pin"/);
  for (const name of ["cards.pdf", "codes.pdf"]) {
    assert.equal(readFileSync(join(folder, name)).subarray(0, 5).toString(), "%PDF-", name);
  }
});

it("the commands of docs/phones.md register a phone, and a purchase is approved on it", async () => {
  const [terminal = ""] = firstVouchers();
  const [gateway, household, simulator = "", purchase, smpp] = commandBlocks(readFileSync("docs/phones.md", "utf8"));
  const [end = "", play = ""] = simulator.split(/(?=^ *npm run ussd)/m);
  await run(`${terminal}${gateway}${household}${end}`);
  const phone = bash(play);
  let shown = "";
  for (const stream of [phone.stdout, phone.stderr]) stream.on("data", (chunk) => (shown += chunk));
  const untilShown = async (pattern: RegExp) => {
    await untilFound(() => (pattern.test(shown) ? shown : undefined));
    shown = "";
  };
  try {
    await untilShown(/\n1/);
    await run(`${terminal}${purchase}`);
    await untilShown(/SMS/);
    phone.stdin.write("2\n");
    await untilShown(/CARBON 12\.5/);
    phone.stdin.write("735914\n");
    await untilShown(/SMS: [^\n]*REDM-/);
    phone.stdin.write("q\n");
    const [status] = await once(phone, "close");
    assert.equal(status, 0, shown);
  } finally {
    phone.stdin.end();
    phone.kill();
  }
  await run(`${terminal}${smpp?.trimEnd()} | tee ${folder}/smpp.json\n${end.replaceAll("gateway.json", "smpp.json")}`);
});

it("the commands of docs/payouts.md set up a partner, a rate and an account, and compare the payments", async () => {
  const [terminal = ""] = firstVouchers();
  const printed = await run(`${terminal}${commandsOf(readFileSync("docs/payouts.md", "utf8"))}`);
  assert.match(printed, /"callbackUrl":"/);
  assert.match(printed, /"number":"[^"]*567"/);
});

it("the commands of docs/field-collection.md make a link, list its forms, and connect a project of KoboToolbox", async () => {
  const kobo = await startKoboPeer([{ type: "begin_group", name: "group_ab1" }, { type: "end_group" }]);
  try {
    const [collector, reissue, ...later] = commandBlocks(readFileSync("docs/field-collection.md", "utf8"));
    const terminal = firstVouchers()[0];
    const offered = await run(`${terminal}${collector}`);
    assert.match(offered, /<formID>household-registration<\/formID>/);
    await sendRefusedRecords(2);
    writeFileSync(join(folder, "kitchen.jpg"), exifPhoto({}));
    const commands = [reissue, ...later]
      .join("\n")
      .replace("https://eu.kobotoolbox.org", kobo.url)
      .replace("aBcD3fGhJkLmNoPqRsTuVw", kobo.assetUid)
      .replace('"0123456789abcdef"', `"${koboToken}"`);
    const printed = await run(`${terminal}${commands}`);
    assert.equal([...printed.matchAll(/"status":"accepted"/g)].length, 2);
    assert.equal(kobo.hooks.length, 1);
  } finally {
    await kobo.close();
  }
});

/** Send records of households from the collector's phone that have too many children. */
async function sendRefusedRecords(count: number): Promise<void> {
  const { url } = JSON.parse(readFileSync(join(folder, "maria.json"), "utf8")) as { url: string };
  const phone = usePhone({ request: (to, init) => fetch(to, init) }, url);
  const { formId, version } = await phone.form("household-registration");
  for (let n = 1; n <= count; n++) {
    const answers = `<did>did:ixo:household/field-${n}</did><people><children>2000</children></people>`;
    const meta = `<meta><instanceID>uuid:${randomUUID()}</instanceID></meta>`;
    const sent = await phone.send(`<data id="${formId}" version="${version}">${answers}${meta}</data>`);
    assert.equal(sent.status, 201, await sent.text());
  }
}

it("the commands of docs/registries.md publish the scheme to a CAD Trust server", async () => {
  const server = await startCadTrustPeer();
  try {
    const page = readFileSync("docs/registries.md", "utf8");
    const [, example = ""] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? [];
    const issuer = (await run("node docs/examples/issuer.mjs")).trim();
    const settings = example
      .replace("http://127.0.0.1:31310", server.url)
      .replace('"apiKey": "…"', `"apiKey": "${peerApiKey}"`)
      .replace("did:key:z6Mk…", issuer);
    const save = (text: string) => writeFileSync(join(folder, "settings.json"), text);
    const [first = "", publish = "", undp = ""] = commandBlocks(page);
    save(settings);
    const planned = await run(first);
    assert.match(planned, /\(dry run\): \d+ records/);
    assert.deepEqual(server.requests, []);
    save(settings.replace('"dryRun": true', '"dryRun": false'));
    assert.match(await run(publish), / published/);
    await run(undp);
  } finally {
    await server.close();
  }
});
