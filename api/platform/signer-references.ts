export type KmsReference = { keyId: string; region: string | undefined; endpoint: string | undefined };

/**
 * Read `aws-kms:<key id, alias or ARN>[?region=…&endpoint=…]`. An ARN names its region.
 * @throws Error saying what is wrong
 */
export function readKmsReference(reference: string): KmsReference {
  const [keyId = "", query = ""] = reference.slice("aws-kms:".length).split("?");
  if (!/^[\w:/-]{1,512}$/.test(keyId)) throw new Error("needs the key's id, alias or ARN after aws-kms:");
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].filter((name) => !["region", "endpoint"].includes(name));
  if (unknown.length > 0) throw new Error(`has the unknown option ${unknown.join(", ")}`);
  const endpoint = options.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    throw new Error("has an endpoint that must be a URL");
  }
  const regionOfArn = keyId.startsWith("arn:") ? keyId.split(":")[3] : undefined;
  return { keyId, region: options.get("region") ?? regionOfArn, endpoint };
}

export type Web3SignerReference = { url: string; authorization: string | undefined; address: `0x${string}` };

/**
 * Read `web3signer:<URL>?address=0x…`. A user and password in the URL are sent as basic authentication.
 * @throws Error saying what is wrong
 */
export function readWeb3SignerReference(reference: string): Web3SignerReference {
  const url = URL.parse(reference.slice("web3signer:".length));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("needs an http or https URL after web3signer:");
  const address = url.searchParams.get("address") ?? "";
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error("needs ?address=0x…, the account that it signs for");
  url.searchParams.delete("address");
  const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
  [url.username, url.password] = ["", ""];
  return {
    url: url.href,
    authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    address: address as `0x${string}`,
  };
}

/** How a signer is named in the configuration, by the scheme of its reference. */
const readers = { "aws-kms": readKmsReference, web3signer: readWeb3SignerReference } as const;

/** Say what is wrong with the reference of a signer; undefined if nothing is. */
export function whyReferenceRefused(reference: string): string | undefined {
  const read = readers[reference.slice(0, reference.indexOf(":")) as keyof typeof readers];
  if (read === undefined) return `must begin with ${Object.keys(readers).join(": or ")}:`;
  try {
    read(reference);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
