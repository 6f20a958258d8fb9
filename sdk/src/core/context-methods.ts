import type { Method } from "./client.ts";
import type { Connections } from "./connections.ts";

/** Bind the methods that an app finds in its context to the user's connections. */
export function contextMethods(connections: Connections) {
  const { credentials } = connections;
  const authedRequest = <T>(url: string, method: Method, options: RequestInit = {}, oracleDid = ""): Promise<T> => {
    const { body, headers, signal } = options;
    if (body !== undefined && body !== null && typeof body !== "string")
      throw new TypeError("The body must be JSON text.");
    const given = { headers: Object.fromEntries(new Headers(headers)), signal: signal ?? undefined };
    const request = typeof body === "string" ? { ...given, body: JSON.parse(body) as unknown } : given;
    return connections.clientOf(oracleDid, new URL(url).origin).request(method, url, request);
  };
  return {
    authedRequest,
    getDelegation: async (oracleDid: string) => (await credentials.artifacts(oracleDid)).delegation,
    getInvocation: async (oracleDid: string) => (await credentials.artifacts(oracleDid)).invocation ?? null,
    clientOf: connections.clientOf.bind(connections),
    channelOf: connections.channelOf.bind(connections),
    configOf: connections.configOf.bind(connections),
  };
}
