import { randomBytes, randomUUID } from "node:crypto";
import { Agent, request as requestHttp } from "node:http";
import { readOptions } from "../scripts/command-options.ts";
import { usePhone } from "../test/support/odk-phone.ts";
import { type Figure, percentile, report } from "./figures.ts";
import { startBenchStack } from "./stack.ts";

const help = `npm run bench:odk -- [--records 10000] [--phones 8] [--quick]
Sends household registrations with two photos of 200 kB each to the OpenRosa server, as ODK Collect sends them, from several phones
together. --quick sends 300. The system runs as npm start runs it, in a temporary folder. Saves bench/results/odk.json.`;
const values = readOptions(help, {
  records: { type: "string", default: "10000" },
  phones: { type: "string", default: "8" },
  quick: { type: "boolean", default: false },
});
const count = values.quick ? 300 : Number(values.records);
const phones = Number(values.phones);
const photoBytes = 200_000;
/** For 10 000 records. */
const aimSeconds = 600;
const implementerDid = "did:ixo:implementer/bench";

const stack = await startBenchStack();
try {
  const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  await stack.call("POST", "/v1/implementers", { did: implementerDid, account, name: "Bench" });
  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
  const linkOf = async () => ((await stack.call("POST", "/v1/odk/collectors", person)) as { url: string }).url;
  const urls = await Promise.all(Array.from({ length: phones }, linkOf));
  const agent = new Agent({ keepAlive: true, maxSockets: phones });
  const { version } = await usePhone({ request: fetch }, urls[0] ?? "").form("household-registration");
  const took: number[] = [];
  let next = 0;
  const send = async (url: string) => {
    for (let i = next++; i < count; i = next++) {
      const began = performance.now();
      const photos = ["kitchen.jpg", "consent.jpg"].map((name) => ({ name, type: "image/jpeg", bytes: photo() }));
      const xml = `<data id="household-registration" version="${version}"><did>did:ixo:household/bench-${i}</did><region>Lusaka</region><place>-15.4167 28.2833 1280.0 4.5</place><people><children>2</children><women>1</women></people><photo>kitchen.jpg</photo><consent>consent.jpg</consent><meta><instanceID>uuid:${randomUUID()}</instanceID></meta></data>`;
      const sent = await usePhone({ request: (to, init) => post(agent, to, init) }, url).send(xml, photos);
      const text = await sent.text();
      if (sent.status !== 201 || !text.includes("Received and accepted")) throw new Error(`${sent.status}: ${text}`);
      took.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(urls.map(send));
  const seconds = (performance.now() - began) / 1000;
  const aim = (aimSeconds * count) / 10_000;
  const figures: Figure[] = [
    {
      name: `${count} records with two photos`,
      value: seconds,
      unit: "s",
      aim: `≤ ${aim} s`,
      met: seconds <= aim,
    },
    { name: "records a second", value: count / seconds, unit: "1/s" },
    { name: "a record, median", value: percentile(took, 0.5), unit: "ms" },
    { name: "a record, 99 %", value: percentile(took, 0.99), unit: "ms" },
  ];
  await report("odk", figures);
} finally {
  await stack.stop();
}

/** A photo that no other one equals and that no compression makes smaller. */
function photo(): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(photoBytes - 4)]);
}

/** Send without fetch, whose own work for a body would be measured, too. */
function post(agent: Agent, to: string, { headers, body }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = { "content-length": String((body as Buffer).length) };
    const sent = { method: "POST", agent, headers: { ...(headers as Record<string, string>), ...length } };
    const request = requestHttp(to, sent, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => void parts.push(part));
      answer.on("end", () => resolve(new Response(Buffer.concat(parts), { status: answer.statusCode ?? 0 })));
      answer.on("error", reject);
    });
    request.on("error", reject);
    request.end(body as Buffer);
  });
}
