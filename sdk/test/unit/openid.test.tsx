/// <reference types="node" />
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { renderHook, waitFor } from "@testing-library/react";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { homeServerUrl } from "../../src/core/openid.ts";
import { getOpenIdToken, useGetOpenIdToken } from "../../src/index.ts";
import { visit, within } from "../visitor.tsx";

const token = { access_token: "secret", expires_in: 3600, matrix_server_name: "hearth.test", token_type: "Bearer" };

/** Answer the two requests like a home server of the messaging network. */
function homeServer(asked: string[], knowsWhoami: boolean): Server {
  return createServer((request, response) => {
    asked.push(`${request.method} ${decodeURIComponent(request.url ?? "")} ${request.headers.authorization}`);
    const isWhoami = request.url?.endsWith("/account/whoami") === true;
    const headers = { "content-type": "application/json", "access-control-allow-origin": "*" };
    if (request.headers.authorization !== "Bearer syt_1") {
      response.writeHead(401, headers).end('{"errcode":"M_UNKNOWN_TOKEN","error":"Invalid token"}');
    } else if (isWhoami && !knowsWhoami) response.writeHead(404, headers).end('{"errcode":"M_UNRECOGNIZED"}');
    else response.writeHead(200, headers).end(JSON.stringify(isWhoami ? { user_id: "@amina:hearth.test" } : token));
  });
}

describe("OpenID tokens of the messaging network", () => {
  const asked: string[] = [];
  const servers = [homeServer(asked, true), homeServer(asked, false)];
  const urls: string[] = [];
  beforeAll(async () => {
    for (const server of servers) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
  });
  afterAll(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });
  const path = (user: string) => `POST /_matrix/client/v3/user/${user}/openid/request_token Bearer syt_1`;

  it("are requested for the named account", async () => {
    const params = { userId: "@amina:hearth.test", matrixAccessToken: "syt_1", homeServer: `${urls[0]}/` };
    expect(await getOpenIdToken(params)).toEqual(token);
    expect(asked.at(-1)).toBe(path("@amina:hearth.test"));
  });

  it("are requested over https when the home server is given as a domain", () => {
    expect(homeServerUrl("hearth.test")).toBe("https://hearth.test");
    expect(homeServerUrl("http://127.0.0.1:8008/")).toBe("http://127.0.0.1:8008");
  });

  it("are refused with the home server's error code", async () => {
    const params = { userId: "@amina:hearth.test", matrixAccessToken: "other", homeServer: urls[0] ?? "" };
    const refusal = { name: "ApiError", status: 401, code: "M_UNKNOWN_TOKEN", message: "Invalid token" };
    await expect(getOpenIdToken(params)).rejects.toMatchObject(refusal);
  });

  it("belong to the connected wallet's account, by its name or address", async () => {
    for (const [index, user] of ["@amina:hearth.test", `@did-ixo-0x1:${new URL(urls[1] ?? "").host}`].entries()) {
      const visitor = await visit();
      const matrix = { accessToken: "syt_1", homeServer: urls[index] ?? "" };
      const props = { ...visitor.props, initialWallet: { ...visitor.props.initialWallet, matrix } };
      const { result } = renderHook(() => useGetOpenIdToken(), { wrapper: within(props) });
      await waitFor(() => expect(result.current.openIdToken).toEqual(token));
      expect(asked.at(-1)).toBe(path(user));
    }
  });
});
