import { type Context, Hono, type MiddlewareHandler } from "hono";
import { AppError } from "../../../api/platform/errors.ts";
import {
  type App,
  type AppEnv,
  ConnectionLimit,
  limitFailures,
  limitRequests,
} from "../../../api/platform/http/index.ts";
import { HearthError } from "../../../wire/src/index.ts";
import { rulesOf } from "../../records/outcome.ts";
import { processOpenRecords } from "../../records/process.ts";
import { type ReasonLanguage, sayReason } from "../../records/reason-texts.ts";
import { type SignedIn, signIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { discardBody } from "../digest/discard-body.ts";
import { openSignInByPassword } from "../digest/sign-in.ts";
import { type Sentence, say } from "../say.ts";
import { openReceipt } from "../submissions/receive.ts";
import {
  answerCsv,
  answerEmpty,
  answerMessage,
  answerWorkbook,
  answerXml,
  languageOf,
  mostRequestBytes,
  OpenRosaError,
} from "./answer.ts";
import { formListOf, formOf, integrityOf, listFileOf, manifestOf, workbookOf } from "./form-list.ts";
import { readMultipart, tooLargeBody } from "./multipart.ts";

/** Records that a link may send at the same time: each holds a file in memory. A phone sends one after the other. */
const mostTogether = 8;

type OdkEnv = AppEnv & { Variables: AppEnv["Variables"] & { signedIn: SignedIn; base: string } };

/** Create the OpenRosa server: what ODK Collect and Enketo call below a collector's link, or below `/odk` with a password. */
export function openRosaRoutes(deps: OdkDeps): App {
  const app = new Hono<OdkEnv>();
  app.onError((thrown, c) => {
    const language = languageOf(c);
    const error = toOpenRosaError(thrown, language);
    if (error.status >= 500) deps.host.log.error({ err: thrown, requestId: c.get("requestId") }, "ODK request failed");
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return answerMessage(c, error.status, say(error.sentence, language, error.values), language);
  });
  const enter = async (c: Context<OdkEnv>, signedIn: SignedIn, base: string) => {
    await limitRequests(c, `odk:${signedIn.collector.id}`, "A collector");
    c.set("signedIn", signedIn);
    c.set("base", base);
  };
  app.use("/key/:token/*", async (c, next) => {
    const token = c.req.param("token");
    const signedIn = await signIn(deps, token);
    if (signedIn === undefined) {
      await limitFailures(c);
      // 401 would make the phone ask for a password, which there is not.
      throw new OpenRosaError(403, "linkInvalid");
    }
    await enter(c, signedIn, `${deps.host.publicUrl}/odk/key/${token}`);
    await next();
  });
  const requirePassword: MiddlewareHandler<OdkEnv> = async (c, next) => {
    refuseOtherSites(c);
    await enter(c, await signInOrDiscard(c), `${deps.host.publicUrl}/odk`);
    await next();
  };
  const signInByPassword = openSignInByPassword(deps);
  const signInOrDiscard = async (c: Context<OdkEnv>): Promise<SignedIn> => {
    try {
      return await signInByPassword(c);
    } catch (error) {
      for (const [name, value] of Object.entries(await discardBody(c))) c.header(name, value);
      throw error;
    }
  };
  for (const path of ["/formList", "/forms/*", "/submission"]) app.use(path, requirePassword);
  const endpoints = openRosaEndpoints(deps);
  app.route("/key/:token", endpoints);
  app.route("/", endpoints);
  app.all("*", () => {
    throw new OpenRosaError(404, "nothingHere");
  });
  return app as unknown as App;
}

/** What clients call below the URL that they are given, for a collector that has signed in. */
function openRosaEndpoints(deps: OdkDeps): Hono<OdkEnv> {
  const endpoints = new Hono<OdkEnv>();
  const sending = new ConnectionLimit(mostTogether, "records of this link");
  endpoints.get("/formList", async (c) => {
    const signedIn = c.get("signedIn");
    await processOpenRecords(deps, signedIn);
    return answerXml(c, await formListOf(deps, signedIn, { base: c.get("base"), formId: c.req.query("formID") }));
  });
  endpoints.get("/forms/:formId", async (c) =>
    answerXml(c, await formOf(deps, c.get("signedIn"), c.req.param("formId"))),
  );
  endpoints.get("/forms/:formId/xlsform", async (c) =>
    answerWorkbook(c, await workbookOf(deps, c.get("signedIn"), c.req.param("formId")), c.req.param("formId")),
  );
  endpoints.get("/forms/:formId/manifest", async (c) =>
    answerXml(c, await manifestOf(deps, c.get("signedIn"), { base: c.get("base"), formId: c.req.param("formId") })),
  );
  endpoints.get("/forms/:formId/integrity/:file", async (c) => {
    const { formId, file } = c.req.param();
    return answerXml(c, await integrityOf(deps, c.get("signedIn"), { formId, file, ids: c.req.query("id") ?? "" }));
  });
  endpoints.get("/forms/:formId/files/:file", async (c) =>
    answerCsv(
      c,
      await listFileOf(deps, c.get("signedIn"), { formId: c.req.param("formId"), file: c.req.param("file") }),
    ),
  );
  endpoints.get("/submission", (c) => {
    // HEAD only: clients ask before they send a body.
    if (c.req.raw.method === "HEAD") return answerEmpty(c);
    throw new OpenRosaError(405, "byPost");
  });
  endpoints.post("/submission", async (c) => {
    if (Number(c.req.header("content-length") ?? 0) > mostRequestBytes) throw tooLargeBody(mostRequestBytes);
    const signedIn = c.get("signedIn");
    const leave = sending.takeIfFree(signedIn.collector.id);
    if (leave === undefined) throw tooManyTogether();
    const receipt = openReceipt(deps, signedIn);
    try {
      const fields = await readMultipart(c.req.raw.body, c.req.header("content-type"), {
        mostBytes: mostRequestBytes,
        onFile: (part) => receipt.add(part),
      });
      const language = languageOf(c);
      const message = await receipt.finish({ isIncomplete: fields.get("*isIncomplete*") === "yes", language });
      // Collect takes 200 for a page of a network's sign-in.
      return answerMessage(c, 201, message, language);
    } catch (error) {
      await receipt
        .abandon()
        .catch((cause: unknown) => deps.host.log.error({ err: cause }, "what arrived of a record was not kept"));
      throw error;
    } finally {
      leave();
    }
  });
  return endpoints;
}

/** Refuse what a page of another site sends: a browser adds the password that its user once entered. Apps send no such header. */
function refuseOtherSites(c: Context<OdkEnv>): void {
  const site = c.req.header("sec-fetch-site") ?? "none";
  if (site === "none" || site === "same-origin") return;
  throw new OpenRosaError(403, "otherSite");
}

function tooManyTogether(): OpenRosaError {
  const headers = { "Retry-After": "10", Connection: "close" };
  return new OpenRosaError(503, "manyTogether", { limit: mostTogether }, headers);
}

/** The sentences for errors of the platform that a phone can cause. */
const platformErrors: Partial<Record<AppError["code"], Sentence>> = {
  RATE_LIMITED: "manyRequests",
  REQUEST_TIMEOUT: "tooSlow",
};

function toOpenRosaError(thrown: unknown, language: ReasonLanguage): OpenRosaError {
  if (thrown instanceof OpenRosaError) return thrown;
  if (thrown instanceof AppError) {
    const status = thrown.status === 401 ? 403 : thrown.status;
    const sentence = platformErrors[thrown.code];
    const values = { reasons: thrown.message };
    return new OpenRosaError(status, sentence ?? "because", sentence ? {} : values, thrown.headers);
  }
  if (thrown instanceof HearthError) {
    if (thrown.status === 401) return new OpenRosaError(403, "keyRevoked");
    if (thrown.status === 403) {
      const reasons = rulesOf(thrown).map((each) => sayReason(each, language));
      return new OpenRosaError(403, "because", { reasons: reasons.join(" ") });
    }
  }
  return new OpenRosaError(503, "notNow", {}, { "Retry-After": "60" });
}
