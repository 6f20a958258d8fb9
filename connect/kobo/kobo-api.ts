import { parse } from "lossless-json";
import { OutboundError, type OutboundResponse } from "../../api/platform/outbound/index.ts";
import { mostFileBytes } from "../records/photo.ts";
import type { RoomHost } from "../room.ts";

/** KoboToolbox refused a call, or did not answer as documented. `status` is missing when there was no answer. */
export class KoboError extends Error {
  override name = "KoboError";
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export type KoboApi = ReturnType<typeof openKoboApi>;
export type KoboServer = { serverUrl: string; assetUid: string; token: string };
/** A question of a Kobo form. */
export type KoboQuestion = { path: string; type: string; label: string };
export type KoboAsset = { name: string; isDeployed: boolean; records: number; questions: KoboQuestion[] };
export type KoboHook = { uid: string; endpoint: string; active: boolean };
export type KoboAttachment = { uid: string; basename: string; question: string; mimeType: string };
/** A version of a record: `rootUuid` stays the same through edits, `instanceId` does not. */
export type KoboVersion = { rootUuid: string; instanceId: string; submittedAt: Date | undefined };
export type KoboRecord = KoboVersion & {
  /** Kobo's number of the record. */
  id: string;
  deprecatedId: string | undefined;
  /** Answers by the path of their question; numbers as their exact text. */
  answers: Record<string, unknown>;
  attachments: KoboAttachment[];
  /** The record as Kobo sent it. */
  json: Buffer;
};
export type NewHook = { endpoint: string; username: string; password: string };

const timeoutMs = 30_000;
const mostAnswerBytes = 8 * 1024 * 1024;
const mostAssetBytes = 32 * 1024 * 1024;
const hookName = "Hearth";
/** Only what finds the record: its answers are read with the token. A name without a slash also finds a question of that name. */
const hookFields = ["_uuid", "meta/rootUuid"];
const listFields = ["_uuid", "_submission_time", "meta/rootUuid", "meta/instanceID"];

/** Open the API of a KoboToolbox server for one project, with a person's token. Every call throws KoboError. */
export function openKoboApi(
  { callOutside }: Pick<RoomHost, "callOutside">,
  { serverUrl, assetUid, token }: KoboServer,
) {
  const base = `${serverUrl}/api/v2/assets/${encodeURIComponent(assetUid)}`;

  async function call(
    path: string,
    { method = "GET", body, maxBytes = mostAnswerBytes }: { method?: Method; body?: unknown; maxBytes?: number } = {},
  ): Promise<OutboundResponse> {
    const headers = {
      accept: "application/json",
      authorization: `Token ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await reach(() =>
      callOutside(`${base}${path}`, { method, headers, timeoutMs, maxBytes, returnsRedirect: true, ...content }),
    );
    const { status } = response;
    if (status >= 200 && status <= 299) return response;
    if (status >= 300 && status <= 399)
      throw new KoboError("KoboToolbox redirects. Give the server's own address.", status);
    throw new KoboError(sentenceOf(status, response.body), status);
  }
  const read = async (path: string, options?: { maxBytes?: number }) => objectOf((await call(path, options)).body);

  return {
    async asset(): Promise<KoboAsset> {
      const asset = await read("/?format=json", { maxBytes: mostAssetBytes });
      const { survey } = objectIn(asset.content);
      return {
        name: String(asset.name ?? ""),
        isDeployed: asset.has_deployment === true && asset.deployment__active === true,
        records: Number(asset.deployment__submission_count ?? 0),
        questions: questionsOf(Array.isArray(survey) ? survey : []),
      };
    },
    async hooks(): Promise<KoboHook[]> {
      const found = (await read("/hooks/?format=json&limit=100")).results;
      if (!Array.isArray(found)) throw new KoboError("KoboToolbox lists no hooks.");
      return found.map((each) => ({
        uid: String(each.uid),
        endpoint: String(each.endpoint),
        active: each.active === true,
      }));
    },
    /** Make the hook. @returns its id at Kobo */
    async createHook({ endpoint, username, password }: NewHook): Promise<string> {
      const body = {
        name: hookName,
        endpoint,
        active: true,
        export_type: "json",
        auth_level: "basic_auth",
        settings: { username, password, custom_headers: {} },
        subset_fields: hookFields,
        email_notification: true,
      };
      const { uid } = objectOf((await call("/hooks/", { method: "POST", body })).body);
      if (typeof uid !== "string") throw new KoboError("KoboToolbox named no hook.");
      return uid;
    },
    async activateHook(uid: string): Promise<void> {
      await call(`/hooks/${encodeURIComponent(uid)}/`, { method: "PATCH", body: { active: true } });
    },
    /** Remove a hook. One that is gone already is removed. */
    async removeHook(uid: string): Promise<void> {
      try {
        await call(`/hooks/${encodeURIComponent(uid)}/`, { method: "DELETE" });
      } catch (error) {
        if (!(error instanceof KoboError) || error.status !== 404) throw error;
      }
    },
    /** Read the present version of a record. */
    async record(rootUuid: string): Promise<KoboRecord> {
      const { body } = await call(`/data/${encodeURIComponent(rootUuid)}/?format=json`);
      return { ...toRecord(objectOf(body)), json: body };
    },
    /** List one page of records, oldest first, without their answers. */
    async records(start: number, limit: number): Promise<{ count: number; versions: KoboVersion[] }> {
      const query = new URLSearchParams({
        format: "json",
        start: String(start),
        limit: String(limit),
        fields: JSON.stringify(listFields),
        sort: JSON.stringify({ _id: 1 }),
      });
      const { count, results } = await read(`/data/?${query}`);
      if (!Array.isArray(results)) throw new KoboError("KoboToolbox lists no records.");
      return { count: Number(count), versions: results.map((each) => versionOf(objectIn(each))) };
    },
    /** Read a file of a record. Kobo may keep files elsewhere: there the token is not sent. */
    async file(recordId: string, attachmentUid: string): Promise<Buffer> {
      const url = `${base}/data/${encodeURIComponent(recordId)}/attachments/${encodeURIComponent(attachmentUid)}/`;
      const limits = { timeoutMs: 120_000, maxBytes: mostFileBytes };
      const headers = { authorization: `Token ${token}` };
      const first = await reach(() => callOutside(url, { ...limits, headers, returnsRedirect: true }));
      const { location } = first.headers;
      const isElsewhere = first.status >= 300 && first.status <= 399 && typeof location === "string";
      if (isElsewhere && !URL.canParse(location, url))
        throw new KoboError("KoboToolbox redirects a file to no address.");
      const last = isElsewhere
        ? await reach(() => callOutside(new URL(location, url).href, { ...limits, maxRedirects: 2 }))
        : first;
      if (last.status !== 200) throw new KoboError(`KoboToolbox answers ${last.status} for a file.`, last.status);
      return last.body;
    },
  };
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

async function reach(call: () => Promise<OutboundResponse>): Promise<OutboundResponse> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new KoboError(`KoboToolbox ${error.message}.`);
  }
}

function sentenceOf(status: number, body: Buffer): string {
  if (status === 401 || status === 403) return "KoboToolbox does not accept the token for this project.";
  if (status === 404) return "KoboToolbox does not have this, or hides it from the token.";
  if (status !== 400) return `KoboToolbox answers ${status}.`;
  // What Kobo says about a wrong request, such as an address that it does not call.
  return `KoboToolbox refuses the request: ${plain(body.toString("utf8", 0, 1_000)).slice(0, 300)}`;
}

/** A text without controls, which the database cannot hold or a reader cannot see. */
const plain = (text: string) => text.replace(/\p{C}+/gu, " ").trim();

function objectOf(body: Buffer): Record<string, unknown> {
  try {
    // Numbers as their text: an answer is never rounded.
    return objectIn(parse(body.toString("utf8"), undefined, { parseNumber: (digits) => digits }));
  } catch (error) {
    if (error instanceof KoboError) throw error;
    throw new KoboError("KoboToolbox does not answer with JSON. Is this the address of its server?");
  }
}

function objectIn(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new KoboError("KoboToolbox does not answer as documented.");
}

function questionsOf(survey: readonly unknown[]): KoboQuestion[] {
  const open: string[] = [];
  const questions: KoboQuestion[] = [];
  for (const each of survey) {
    const { type, name, $autoname: autoname, $xpath: xpath, label } = objectIn(each);
    const kind = String(type ?? "").replace(/_/g, " ");
    if (kind.startsWith("end ")) {
      open.pop();
      continue;
    }
    const own = String(name ?? autoname ?? "");
    if (own === "") continue;
    const path = typeof xpath === "string" ? xpath : [...open, own].join("/");
    const isGroup = kind.startsWith("begin ");
    if (isGroup) open.push(own);
    if (kind === "note") continue;
    const text = Array.isArray(label) ? label.find((word) => typeof word === "string") : label;
    const shown = typeof text === "string" ? text : own;
    questions.push({ path, type: isGroup ? kind.slice("begin ".length) : String(type), label: shown.slice(0, 200) });
  }
  return questions;
}

const withoutPrefix = (uuid: string) => uuid.replace(/^uuid:/, "");
const isUuid = /^[\x21-\x7e]{1,190}$/;

function versionOf(data: Record<string, unknown>): KoboVersion {
  const uuid = textIn(data, "_uuid");
  const root = textIn(data, "meta/rootUuid") ?? uuid;
  if (uuid === undefined || root === undefined || !isUuid.test(uuid) || !isUuid.test(root)) {
    throw new KoboError("KoboToolbox names no UUID of a record.");
  }
  const time = textIn(data, "_submission_time");
  // Kobo writes it in UTC, without a zone.
  const at = time === undefined ? Number.NaN : Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  return {
    rootUuid: withoutPrefix(root),
    instanceId: `uuid:${withoutPrefix(uuid)}`,
    submittedAt: Number.isNaN(at) ? undefined : new Date(at),
  };
}

function toRecord(data: Record<string, unknown>): Omit<KoboRecord, "json"> {
  const attachments = Array.isArray(data._attachments) ? data._attachments : [];
  return {
    ...versionOf(data),
    id: textIn(data, "_id") ?? "",
    deprecatedId: textIn(data, "meta/deprecatedID"),
    answers: data,
    attachments: attachments.map(objectIn).flatMap((each) => {
      if (each.is_deleted === true) return [];
      const path = String(each.filename ?? "");
      return [
        {
          uid: String(each.uid ?? each.id ?? ""),
          basename: textIn(each, "media_file_basename") ?? path.slice(path.lastIndexOf("/") + 1),
          question: textIn(each, "question_xpath") ?? "",
          mimeType: textIn(each, "mimetype") ?? "application/octet-stream",
        },
      ];
    }),
  };
}

function textIn(data: Record<string, unknown>, name: string): string | undefined {
  const value = data[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
