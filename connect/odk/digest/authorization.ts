import { parse } from "auth-header";
import { OpenRosaError } from "../openrosa/answer.ts";

/** How a client shows that it knows the password (RFC 7616, section 3.4). */
export type DigestCredentials = {
  username: string;
  nonce: string;
  /** The request's target, as the client hashed it. */
  uri: string;
  /** 32 hexadecimal digits. */
  response: string;
  cnonce: string;
  /** 8 hexadecimal digits. */
  nc: string;
};

/** The parser skips what it does not understand, and takes long for many words, so the form is checked first. */
const wellFormed = /^Digest +(?:[\w*-]+=(?:[^\s",;=\\]+|"(?:[^"\\]|\\.)*") *(?:, *|$)){1,20}$/i;

/**
 * Read an Authorization header of the scheme Digest.
 * @throws OpenRosaError 400 for another form, and for what could weaken the check: no `qop`, or another algorithm than MD5
 */
export function readCredentials(header: string): DigestCredentials {
  if (!wellFormed.test(header)) throw malformed("Digest");
  const { params } = parse(header);
  const read = (name: string, form: RegExp): string => {
    const value = params[name];
    if (typeof value !== "string" || !form.test(value)) throw malformed(name);
    return value;
  };
  if (params.algorithm !== undefined) read("algorithm", /^MD5$/i);
  // Without qop, nc would not be part of the hash, and a recorded request could be sent again.
  read("qop", /^auth$/i);
  return {
    username: read("username", /^/),
    nonce: read("nonce", /^/),
    uri: read("uri", /^/),
    response: read("response", /^[0-9a-f]{32}$/),
    cnonce: read("cnonce", /./),
    nc: read("nc", /^[0-9a-f]{8}$/i),
  };
}

function malformed(part: string): OpenRosaError {
  return new OpenRosaError(400, "notDigest", { part });
}
