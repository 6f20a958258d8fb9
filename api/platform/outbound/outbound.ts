import { lookup as systemLookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Thrown when an outside address was not reached. The caller may see the message. */
export class OutboundError extends Error {}

export type OutboundRules = {
  /** True when everything is on one machine: then loopback may be called, also over http. */
  allowLoopback: boolean;
  /**
   * True when an admin allowed this address to be in the server's own network: this machine or a private network, also over http. Link-local
   * addresses, where clouds give out credentials, are never called.
   */
  allowPrivate?: boolean;
  /** Name resolution, for tests of rebinding; by default the system's. */
  lookup?: LookupFunction;
};

/**
 * Return the rules for URLs that callers name. Loopback is allowed only while `npm start` runs everything on this machine and only
 * local callers can reach the server; otherwise remote callers could reach this machine's other services through it.
 */
export function outboundRules({ chain, host, trustProxy }: ReachConfig): OutboundRules {
  const isAlone = classifyAddress(host === "localhost" ? "127.0.0.1" : host) === "loopback" && !trustProxy;
  return { allowLoopback: chain.embedded && isAlone };
}

type ReachConfig = { chain: { embedded: boolean }; host: string; trustProxy: boolean };

export type OutboundRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs: number;
  /** Ends the call earlier. */
  signal?: AbortSignal | undefined;
  maxBytes: number;
  /** Most redirects that are followed, each under the same rules. */
  maxRedirects?: number;
  /** Return a redirect instead of following it: the caller may have to leave out a secret. */
  returnsRedirect?: boolean;
};

export type OutboundResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

type AddressKind = "public" | "loopback" | "private";

const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Classify an IP address: public internet, this machine, or a network that is never called. */
export function classifyAddress(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return "private";
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  // Only this part of IPv6 is assigned; `::a00:1` is an old form of 10.0.0.1.
  if (range === "unicast") return parsed.kind() === "ipv4" || parsed.match(globalUnicast) ? "public" : "private";
  return range === "loopback" ? "loopback" : "private";
}

/** Whether an address is of this machine or of a private network. */
function isOwnNetwork(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ["loopback", "private", "uniqueLocal", "carrierGradeNat"].includes(ipaddr.process(address).range());
}

/**
 * Check the parts of an address that need no name resolution.
 * @throws OutboundError for another scheme than https (http to loopback where allowed), credentials, or an IP literal that may not be called.
 */
export function checkOutboundUrl(url: string, rules: OutboundRules): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) throw new OutboundError("is not a URL");
  if (parsed.username || parsed.password) throw new OutboundError("must not carry a user name or password");
  const mayBePlain = rules.allowLoopback || rules.allowPrivate === true;
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && mayBePlain)) {
    throw new OutboundError("must be an https URL");
  }
  const host = hostOf(parsed);
  if (isIP(host)) checkAddress(host, parsed, rules);
  else if (parsed.protocol === "http:" && host !== "localhost" && rules.allowPrivate !== true)
    throw new OutboundError("must be an https URL");
  return parsed;
}

/**
 * Call an outside URL. Every address that a name resolves to is checked when connecting, so that a name that resolves differently
 * after the check (DNS rebinding) does not get through.
 * @throws OutboundError when the rules forbid it, it takes too long, or the answer is too large.
 */
export async function callOutside(
  url: string,
  options: OutboundRequest,
  rules: OutboundRules,
): Promise<OutboundResponse> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  let target = checkOutboundUrl(url, rules);
  for (let hops = 0; ; hops++) {
    const answer = await callOnce(target, options, rules, signal);
    const location = answer.headers.location;
    if (answer.status < 300 || answer.status > 399 || typeof location !== "string") return answer;
    if (options.returnsRedirect === true) return answer;
    if (hops >= (options.maxRedirects ?? 0)) throw new OutboundError("redirects too often");
    if (!URL.canParse(location, target)) throw new OutboundError("redirects to no URL");
    target = checkOutboundUrl(new URL(location, target).href, rules);
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The part of an address that says whether the connection is encrypted. */
type Protocol = Pick<URL, "protocol">;

function checkAddress(address: string, url: Protocol, rules: OutboundRules): void {
  const kind = classifyAddress(address);
  if (kind === "public" && url.protocol === "https:") return;
  if (kind === "loopback" && rules.allowLoopback) return;
  if (rules.allowPrivate === true && isOwnNetwork(address)) return;
  throw new OutboundError(kind === "public" ? "must be an https URL" : `points to a ${kind} address`);
}

/**
 * Check the host of a connection that is not HTTP, and return the name resolution for it, which checks every address.
 * @throws OutboundError for an IP literal that may not be called
 */
export function checkedHost(host: string, rules: OutboundRules): LookupFunction {
  // The protocol's own encryption is not looked at: operators have SMPP without it, in a tunnel.
  const any = { protocol: "https:" };
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal)) checkAddress(literal, any, rules);
  return checkedLookup(any, rules);
}

function checkedLookup(url: Protocol, rules: OutboundRules): LookupFunction {
  const resolve = rules.lookup ?? (systemLookup as LookupFunction);
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 4);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      try {
        for (const { address } of addresses) checkAddress(address, url, rules);
      } catch (blocked) {
        return callback(blocked as NodeJS.ErrnoException, "", 4);
      }
      if (options.all) return callback(null, addresses);
      const first = addresses[0];
      if (!first) return callback(new OutboundError("has no address") as NodeJS.ErrnoException, "", 4);
      callback(null, first.address, first.family);
    });
  };
}

function callOnce(
  url: URL,
  options: OutboundRequest,
  rules: OutboundRules,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(explain(error, signal));
    const headers = { "accept-encoding": "identity", ...options.headers };
    // A new connection for each call: a reused one was checked for another name.
    const settings = {
      method: options.method ?? "GET",
      headers,
      agent: false,
      signal,
      lookup: checkedLookup(url, rules),
    };
    const request = send(url, settings, (response) => {
      readBody(response, options.maxBytes).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        (error) => {
          request.destroy();
          refuse(error);
        },
      );
    });
    request.on("error", refuse);
    request.end(options.body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = response.headers["content-encoding"];
  if (encoding && encoding !== "identity") throw new OutboundError("answers in an encoding that was not asked for");
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new OutboundError(`answers with more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function explain(error: unknown, signal: AbortSignal): OutboundError {
  if (signal.aborted) return new OutboundError("did not answer in time");
  if (error instanceof OutboundError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  return new OutboundError(`could not be reached${code ? ` (${code})` : ""}`, { cause: error });
}
