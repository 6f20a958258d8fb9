import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { accepted, jsonBody, jsonContent, respondAccepted, tags } from "../registry/index.ts";
import { recordAllocations } from "./allocations.ts";
import type { CertificateDeps } from "./deps.ts";
import {
  certificate,
  certificateChange,
  certificatePage,
  certificateParams,
  certificateQuery,
  newAllocations,
  newCertificate,
} from "./schemas.ts";
import { changeCertificate, getCertificate, listCertificates, registerCertificate, WRITE_SCOPE } from "./service.ts";

const MiB = 1024 * 1024;

const register = createRoute({
  method: "post",
  path: "/certificates",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Register a certificate with its allocation",
  description: "An allocation that does not fit into one transaction is recorded by an operation (202).",
  tags,
  bodyLimit: 32 * MiB,
  request: { body: jsonBody(newCertificate) },
  responses: {
    201: jsonContent(certificate, "The certificate, valid"),
    202: accepted,
    ...errorResponses(400, 403, 409, 413),
  },
});

const list = createRoute({
  method: "get",
  path: "/certificates",
  callers: everyKey,
  summary: "List certificates",
  tags,
  request: { query: certificateQuery },
  responses: {
    200: jsonContent(certificatePage, "Certificates in the order of their registration"),
    ...errorResponses(400),
  },
});

const getOne = createRoute({
  method: "get",
  path: "/certificates/{certificateId}",
  callers: everyKey,
  summary: "Read a certificate",
  tags,
  request: { params: certificateParams },
  responses: { 200: jsonContent(certificate, "The certificate as the chain has it now"), ...errorResponses(404) },
});

const change = createRoute({
  method: "patch",
  path: "/certificates/{certificateId}",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Suspend, reinstate or revoke a certificate",
  tags,
  request: { params: certificateParams, body: jsonBody(certificateChange) },
  responses: {
    200: jsonContent(certificate, "The certificate after the change"),
    ...errorResponses(400, 403, 404, 409),
  },
});

const allocate = createRoute({
  method: "post",
  path: "/certificates/{certificateId}/allocations",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Bring the allocation of a certificate that awaits it",
  tags,
  bodyLimit: 32 * MiB,
  request: { params: certificateParams, body: jsonBody(newAllocations) },
  responses: {
    201: jsonContent(certificate, "The certificate, valid"),
    202: accepted,
    ...errorResponses(400, 403, 404, 409, 413),
  },
});

export function certificateRoutes(deps: CertificateDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => {
      const outcome = await registerCertificate(deps, requestContext(c), c.req.valid("json"));
      return "certificate" in outcome ? c.json(outcome.certificate, 201) : respondAccepted(c, outcome.operation);
    })
    .openapi(allocate, async (c) => {
      const { certificateId } = c.req.valid("param");
      const outcome = await recordAllocations(deps, requestContext(c), certificateId, c.req.valid("json"));
      return "certificate" in outcome ? c.json(outcome.certificate, 201) : respondAccepted(c, outcome.operation);
    })
    .openapi(list, async (c) => c.json(await listCertificates(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(getOne, async (c) =>
      c.json(await getCertificate(deps, requestContext(c), c.req.valid("param").certificateId), 200),
    )
    .openapi(change, async (c) =>
      c.json(
        await changeCertificate(deps, requestContext(c), c.req.valid("param").certificateId, c.req.valid("json")),
        200,
      ),
    );
}
