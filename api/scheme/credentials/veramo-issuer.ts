import type { CredentialPayload, IIdentifier, IKeyManagerSignArgs, IssuerAgentContext } from "@veramo/core";
import type { CredentialPlugin } from "@veramo/credential-w3c";
import type { ServiceIdentity } from "../../platform/identity/index.ts";

/** Sign a W3C credential as compact VC-JWT (VCDM 1.1); the issuer is filled in. The same credential gives the same token. */
export type SignCredential = (credential: Omit<CredentialPayload, "issuer">) => Promise<string>;

type Issuer = Pick<ServiceIdentity, "did" | "keyId" | "publicJwk" | "sign">;

/**
 * Create a signer with Veramo; the service's identity is its only managed DID. The key stays in the identity, which
 * signs what Veramo passes to it. As in the verifier, the plugin runs without an agent, and the library is loaded when it is needed.
 */
export function createVeramoIssuer(identity: Issuer): SignCredential {
  let plugin: Promise<CredentialPlugin> | undefined;
  const identifier = identifierOf(identity);
  const agent = {
    didManagerGet: async ({ did }: { did: string }) => {
      if (did !== identity.did) throw new Error(`${did} is not this service's DID.`);
      return identifier;
    },
    keyManagerSign: ({ data, algorithm }: IKeyManagerSignArgs) => signAs(identity, data, algorithm),
  };
  const context = { agent } as unknown as IssuerAgentContext;
  return async (credential) => {
    plugin ??= openPlugin();
    const { proof } = await (await plugin).methods.createVerifiableCredential(
      {
        credential: { ...credential, issuer: identity.did },
        proofFormat: "jwt",
        keyRef: identity.keyId,
        header: { kid: identity.keyId },
      },
      context,
    );
    return proof.jwt;
  };
}

async function openPlugin(): Promise<CredentialPlugin> {
  const { CredentialPlugin } = await import("@veramo/credential-w3c");
  const { CredentialProviderJWT } = await import("@veramo/credential-jwt");
  return new CredentialPlugin([new CredentialProviderJWT()]);
}

function identifierOf({ did, keyId, publicJwk }: Issuer): IIdentifier {
  const publicKeyHex = Buffer.from(String(publicJwk.x), "base64url").toString("hex");
  const key = { kid: keyId, kms: "service", type: "Ed25519" as const, publicKeyHex };
  return { did, provider: "did:web", controllerKeyId: keyId, keys: [key], services: [] };
}

async function signAs({ sign }: Issuer, data: string, algorithm: string | undefined): Promise<string> {
  if (algorithm !== "EdDSA") throw new Error(`The service's key does not sign with ${algorithm}.`);
  return Buffer.from(await sign(Buffer.from(data))).toString("base64url");
}
