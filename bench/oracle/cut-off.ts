import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";

/** Start turns in sessions of one user, and reconnect until the connections have been cut this many times in all. */
export type CutOffOrder = { url: string; headers: Record<string, string>; sessions: string[]; cuts: number };
export type CutOffResult = { cuts: number; lost: number; doubled: number; broken: number };

const result: CutOffResult = { cuts: 0, lost: 0, doubled: 0, broken: 0 };

/** The events of a run that a client has received over all its connections. */
class Seen {
  last = 0;
  isDone = false;
  #count = 0;
  readonly #digest = createHash("sha256");

  take(frame: string): void {
    const [event = "", id = "", data = ""] = frame.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    const seq = Number(id);
    if (seq <= this.last) result.doubled += 1;
    if (seq > this.last + 1) result.lost += seq - this.last - 1;
    this.last = seq;
    if (event === "done") {
      this.isDone = true;
      const told = JSON.parse(data) as { count: number; digest: string };
      const digest = `sha256-${this.#digest.digest("base64")}`;
      if (told.count !== this.#count || told.digest !== digest) result.broken += 1;
    } else {
      this.#digest.update(this.#count === 0 ? data : `\n${data}`);
      this.#count += 1;
    }
  }
}

/** Read a stream in complete frames; a frame that was cut off is lost, as it is in a browser. */
function read(answer: IncomingMessage, seen: Seen, most: () => number): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = "";
    let taken = 0;
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      const frames = (rest + text).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        if (frame.startsWith(":")) continue;
        seen.take(frame);
        taken += 1;
        if (seen.isDone || taken < most()) continue;
        answer.destroy();
        resolve();
        return;
      }
    });
    answer.on("end", resolve);
    answer.on("error", reject);
  });
}

function open(method: string, url: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, headers: { "content-type": "application/json", ...headers } });
    sent.on("response", (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`status ${answer.statusCode}`));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function client(order: CutOffOrder, session: string): Promise<void> {
  while (result.cuts < order.cuts) await turn(order, session);
}

/** Run one turn, and cut its connection after every third frame until there are enough cuts. */
async function turn({ url, headers, cuts }: CutOffOrder, session: string): Promise<void> {
  const seen = new Seen();
  const most = () => (result.cuts < cuts ? 3 : Number.POSITIVE_INFINITY);
  let answer = await open("POST", `${url}/messages/${session}`, headers, '{"message":"go","stream":true}');
  const runId = String(answer.headers["x-run-id"]);
  for (;;) {
    await read(answer, seen, most);
    if (seen.isDone) return;
    result.cuts += 1;
    answer = await open("GET", `${url}/runs/${runId}?after=${seen.last}`, headers);
  }
}

process.on("message", (order: CutOffOrder) => {
  Promise.all(order.sessions.map((session) => client(order, session))).then(
    () => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
