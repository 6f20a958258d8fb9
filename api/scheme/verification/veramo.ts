import type { IVerifyCredentialArgs, IVerifyResult, ResolveDidArgs, VerifierAgentContext } from "@veramo/core";
import type { CredentialPlugin, ICredentialProvider } from "@veramo/credential-w3c";
import type { DIDDocument, Resolvable, VerificationMethod } from "did-resolver";

/** Result of a valid signature: the DID that signed, its verification method, and the credential in W3C form. */
export type ProvenSignature = { issuerDid: string; keyId: string; credential: Record<string, unknown> };
/** @param hasIss whether the token has an `iss` claim */
export type VerifySignature = (jwt: string, token: { hasIss: boolean }) => Promise<ProvenSignature>;
/** Fields that did-jwt adds to Veramo's result. */
type JwtVerifyResult = IVerifyResult & { issuer?: string; signer?: { id: string }; jwt?: string };

/** The signature is not valid for the credential; the message gives the reason. */
export class SignatureError extends Error {}

/**
 * Create a check of a compact token's signature through Veramo, with the keys that its issuer uses for assertions.
 * Veramo checks dates and status only in part, so credential-dates and status-list check them.
 */
export function createSignatureVerifier(resolver: Resolvable): VerifySignature {
  let opened: ReturnType<typeof openVeramo> | undefined;
  return async (jwt, { hasIss }) => {
    opened ??= openVeramo(resolver);
    const { withIss, withoutIss, context } = await opened;
    const plugin = hasIss ? withIss : withoutIss;
    const result: JwtVerifyResult = await plugin.methods.verifyCredential(
      {
        credential: jwt,
        proofPurpose: "assertionMethod",
        // `format` would require the VCDM 1.1 context.
        policies: { format: false, issuanceDate: false, expirationDate: false, credentialStatus: false },
      },
      context,
    );
    if (!result.verified) throw new SignatureError(result.error?.message ?? "The signature does not verify");
    const { issuer, signer, verifiableCredential } = result;
    if (result.jwt !== jwt || !issuer || !signer || typeof verifiableCredential !== "object") {
      throw new SignatureError("Another token was verified");
    }
    return { issuerDid: issuer, keyId: signer.id, credential: verifiableCredential };
  };
}

type Veramo = { withIss: CredentialPlugin; withoutIss: CredentialPlugin; context: VerifierAgentContext };

/** The library takes 35 MB of memory: it is loaded with the first credential. */
async function openVeramo(resolver: Resolvable): Promise<Veramo> {
  const { CredentialPlugin } = await import("@veramo/credential-w3c");
  const { CredentialProviderJWT } = await import("@veramo/credential-jwt");
  const { DIDResolverPlugin } = await import("@veramo/did-resolver");
  const { resolveDid } = new DIDResolverPlugin({ resolver }).methods;
  // The plugins run without an agent: its event bus takes a twentieth of the time of a verification, and nothing
  // listens.
  const agent = { resolveDid: (args: ResolveDidArgs) => resolveDid(args) };
  return {
    withIss: new CredentialPlugin([new CredentialProviderJWT()]),
    withoutIss: new CredentialPlugin([new IssuerMemberProvider()]),
    context: { agent } as VerifierAgentContext,
  };
}

/**
 * Veramo provider for VCDM 2.0 tokens that name their issuer only in the `issuer` member. VC-JOSE-COSE makes `iss`
 * optional, but did-jwt requires it.
 */
class IssuerMemberProvider implements ICredentialProvider {
  canVerifyDocumentType({ document }: { document: unknown }): boolean {
    return typeof document === "string";
  }

  async verifyCredential(args: IVerifyCredentialArgs, context: VerifierAgentContext): Promise<IVerifyResult> {
    const jwt = args.credential as string;
    const { decodeJWT, verifyJWS } = await import("did-jwt");
    const { payload } = decodeJWT(jwt, false);
    const issuer = typeof payload.issuer === "string" ? payload.issuer : payload.issuer?.id;
    try {
      const { didDocument, didResolutionMetadata } = await context.agent.resolveDid({ didUrl: issuer });
      if (!didDocument) throw new Error(`Unable to resolve ${issuer}: ${didResolutionMetadata.message}`);
      const signer = verifyJWS(jwt, assertionKeys(didDocument));
      return { verified: true, jwt, issuer, signer, verifiableCredential: payload };
    } catch (error) {
      return { verified: false, error: { message: (error as Error).message } };
    }
  }

  getProofFormatsSupportedForKey(): [] {
    return [];
  }

  canIssueProofFormat(): boolean {
    return false;
  }

  createVerifiableCredential(): never {
    throw new Error("This provider only verifies");
  }

  createVerifiablePresentation(): never {
    throw new Error("This provider only verifies");
  }

  verifyPresentation(): never {
    throw new Error("Presentations are not accepted");
  }
}

function assertionKeys(document: DIDDocument): VerificationMethod[] {
  const keys = document.verificationMethod ?? [];
  return (document.assertionMethod ?? []).flatMap((entry) =>
    typeof entry === "string" ? keys.filter(({ id }) => id === entry) : [entry],
  );
}
