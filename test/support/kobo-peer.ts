import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** Answers by the path of their question, as Kobo keeps them: texts, and repeats as lists. */
export type KoboAnswers = Record<string, unknown>;
export type KoboFile = { name: string; question: string; type: string; bytes: Buffer };
type Hook = {
  uid: string;
  endpoint: string;
  active: boolean;
  settings: Record<string, unknown>;
  body: Record<string, unknown>;
};
type Stored = {
  id: number;
  root: string;
  uuid: string;
  edits: string[];
  answers: KoboAnswers;
  files: KoboFile[];
  at: string;
};
export type KoboPeer = Awaited<ReturnType<typeof startKoboPeer>>;

export const koboToken = "0123456789abcdef-token-of-the-kobo-account";

/**
 * For tests: a peer that speaks the parts of KoboToolbox's API that Hearth uses. It is built from the published interface and sources
 * (kobotoolbox/kpi, `kpi/views/v2`, `kobo/apps/hook`): paths end with a slash, a hook rings once for a record and never for an edit,
 * answers are texts with the whole path as their key, and a file may be kept at another address.
 */
export async function startKoboPeer(survey: readonly Record<string, unknown>[] = []) {
  const uid = `a${randomUUID().replaceAll("-", "").slice(0, 21)}`;
  const records: Stored[] = [];
  const hooks: Hook[] = [];
  const state = {
    /** The number of records that lists state, when it is not their number. */
    count: undefined as number | undefined,
    isDown: false,
    /** What a request for a new hook is answered; absent: the hook is made. */
    refusesHooks: undefined as number | undefined,
    /** Requests for a new hook that were refused. */
    hooksRefused: 0,
    isDeployed: true,
    survey,
    /** Files are kept at another address, which is called without the token. */
    filesElsewhere: false,
    /** Calls of that address that had the token. */
    tokensElsewhere: 0,
    /** Records that were read. */
    reads: 0,
  };
  const elsewhere = createServer((request, response) => {
    if (request.headers.authorization !== undefined) state.tokensElsewhere += 1;
    const file = fileOf(records, request.url ?? "");
    respond(response, file === undefined ? 404 : 200, file?.bytes ?? "");
  });
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => respond(response, 500, String(error)));
  });
  for (const each of [server, elsewhere]) await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
  const portOf = (each: typeof server) => (each.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${portOf(server)}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    if (state.isDown) return respond(response, 503, "");
    if (request.headers.authorization !== `Token ${koboToken}`) {
      return respond(response, 401, { detail: "Invalid token." });
    }
    if (!pathname.endsWith("/")) return respond(response, 404, { detail: "The slash at the end is missing." });
    const base = `/api/v2/assets/${uid}`;
    if (!pathname.startsWith(`${base}/`)) return respond(response, 404, { detail: "Not found." });
    const [kind, id, , fileId] = pathname.slice(base.length + 1).split("/");
    const body = request.method === "GET" ? undefined : JSON.parse((await readText(request)) || "{}");
    if (kind === "") return respond(response, 200, asset());
    if (kind === "hooks") return serveHooks(request.method ?? "GET", id ?? "", body, response);
    if (kind !== "data") return respond(response, 404, {});
    if (id === "") return respond(response, 200, list(searchParams));
    const found = records.find((each) => [String(each.id), each.root, each.uuid].includes(id ?? ""));
    if (found === undefined) return respond(response, 404, { detail: "Not found." });
    if (fileId === undefined) {
      state.reads += 1;
      return respond(response, 200, toJson(found));
    }
    if (state.filesElsewhere) {
      response.setHeader("location", `http://127.0.0.1:${portOf(elsewhere)}/${fileId}`);
      return respond(response, 302, "");
    }
    const file = fileOf(records, fileId);
    return respond(response, file === undefined ? 404 : 200, file?.bytes ?? "");
  }

  async function serveHooks(
    method: string,
    id: string,
    body: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<void> {
    if (method === "GET") return respond(response, 200, { count: hooks.length, results: hooks.map(toHook) });
    if (method === "POST" && state.refusesHooks !== undefined) {
      state.hooksRefused += 1;
      return respond(response, state.refusesHooks, {});
    }
    if (method === "POST") {
      const { endpoint, settings = {}, name } = body as { endpoint: string; settings: Hook["settings"]; name?: string };
      if (name === undefined) return respond(response, 400, { name: ["This field is required."] });
      const hook = { uid: `h${randomUUID().slice(0, 8)}`, endpoint, active: true, settings, body };
      hooks.push(hook);
      return respond(response, 201, toHook(hook));
    }
    const at = hooks.findIndex((each) => each.uid === id);
    if (at === -1) return respond(response, 404, { detail: "Not found." });
    if (method === "DELETE") {
      hooks.splice(at, 1);
      return respond(response, 204, "");
    }
    const hook = hooks[at] as Hook;
    hook.active = body.active === true;
    return respond(response, 200, toHook(hook));
  }

  const asset = () => ({
    uid,
    name: "Households of Lusaka",
    has_deployment: state.isDeployed,
    deployment__active: state.isDeployed,
    deployment__submission_count: records.length,
    content: { survey: state.survey },
  });

  function list(query: URLSearchParams) {
    const start = Number(query.get("start") ?? 0);
    const page = records.slice(start, start + Number(query.get("limit") ?? 100));
    const fields = query.get("fields");
    const names: string[] | undefined = fields === null ? undefined : JSON.parse(fields);
    const results = page.map((each) => {
      const all = Object.entries(toJson(each));
      return Object.fromEntries(all.filter(([name]) => names === undefined || names.includes(name)));
    });
    return { count: state.count ?? records.length, results };
  }

  return {
    url,
    assetUid: uid,
    state,
    hooks,
    /** Store a record as ODK Collect or a web form sends it. @returns its root UUID */
    add(answers: KoboAnswers, files: KoboFile[] = [], at = new Date()): string {
      const uuid = randomUUID();
      const id = records.length + 1;
      records.push({ id, root: uuid, uuid, edits: [], answers, files, at: at.toISOString().slice(0, 19) });
      return uuid;
    },
    /** Edit a record: it gets another UUID and keeps its root, and no hook rings. */
    edit(root: string, changes: KoboAnswers): void {
      const record = records.find((each) => each.root === root);
      if (record === undefined) throw new Error(`There is no record ${root}.`);
      record.edits.push(record.uuid);
      record.uuid = randomUUID();
      record.answers = { ...record.answers, ...changes };
    },
    addFile(root: string, file: KoboFile): void {
      records.find((each) => each.root === root)?.files.push(file);
    },
    remove(root: string): void {
      records.splice(
        records.findIndex((each) => each.root === root),
        1,
      );
    },
    /** What a hook posts for a record: only the fields that were asked, and the hook's name and password. */
    call(root: string, hook = hooks.at(-1)) {
      const record = records.find((each) => each.root === root);
      if (record === undefined || hook === undefined) throw new Error("There is no such record or hook.");
      const { username, password } = hook.settings;
      const fields = hook.body.subset_fields as string[];
      const isAsked = (name: string) => fields.some((field) => field === name);
      const body = Object.fromEntries(Object.entries(toJson(record)).filter(([name]) => isAsked(name)));
      return {
        path: new URL(hook.endpoint).pathname,
        init: {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "user-agent": `KoboToolbox external service #${hook.uid}`,
            authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
          },
          body: JSON.stringify(body),
        },
      };
    },
    async close(): Promise<void> {
      for (const each of [server, elsewhere]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
    },
  };
}

const toHook = ({ uid, endpoint, active, settings }: Hook) => ({ uid, endpoint, active, settings, name: "Hearth" });

function toJson({ id, root, uuid, edits, answers, files, at }: Stored): Record<string, unknown> {
  const edited = edits.length === 0 ? {} : { "meta/deprecatedID": `uuid:${edits.at(-1)}` };
  return {
    _id: id,
    _uuid: uuid,
    "formhub/uuid": "0".repeat(32),
    ...answers,
    "meta/instanceID": `uuid:${uuid}`,
    "meta/rootUuid": `uuid:${root}`,
    ...edited,
    _submission_time: at,
    _submitted_by: "maria",
    _validation_status: {},
    _geolocation: [-15.4167, 28.2833],
    _attachments: files.map(({ name, question, type }, i) => ({
      uid: `att${id}x${i}`,
      download_url: `https://kf.example/att${id}x${i}/`,
      filename: `maria/attachments/form/${root}/${name}`,
      media_file_basename: name,
      mimetype: type,
      question_xpath: question,
      is_deleted: false,
    })),
  };
}

function fileOf(records: readonly Stored[], id: string): KoboFile | undefined {
  const [, record, index] = /att(\d+)x(\d+)/.exec(id) ?? [];
  return records.find((each) => String(each.id) === record)?.files[Number(index)];
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": isRaw ? "application/octet-stream" : "application/json" });
  response.end(isRaw ? body : JSON.stringify(body));
}
