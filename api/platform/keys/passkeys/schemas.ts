import { z } from "@hono/zod-openapi";
import { freeText, identifier } from "../../values/text.ts";
import { publicJwk } from "../schemas.ts";

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/, "Base64url is expected.");
/** What the browser answers; the kept WebAuthn library checks it. */
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["platform", "cross-platform"]).nullish(),
  clientExtensionResults: z.looseObject({}),
};

export const registration = z.strictObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: base64url(4_096),
    attestationObject: base64url(16_384),
    transports: z.array(z.string().max(32)).max(8).optional(),
  }),
});
export const assertion = z.strictObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: base64url(4_096),
    authenticatorData: base64url(4_096),
    signature: base64url(4_096),
    userHandle: base64url(128).nullish(),
  }),
});

export const newPasskey = z.strictObject({ name: freeText(100), registration }).openapi("NewPasskey");
export type NewPasskey = z.output<typeof newPasskey>;

export const passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    keyId: z.string().openapi({ description: "API key of the device that made it." }),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
  })
  .openapi("Passkey");
export type Passkey = z.output<typeof passkey>;
export const passkeyList = z.object({ items: z.array(passkey) }).openapi("PasskeyList");
export const passkeyParams = z.strictObject({ id: identifier(1_400) });

/** Options for `navigator.credentials`, in the JSON of WebAuthn level 3. */
export const webauthnOptions = z.looseObject({ challenge: z.string() }).openapi("WebAuthnOptions");
export const passkeyChallenge = z.strictObject({ publicJwk }).openapi("PasskeyChallenge");
export const passkeySignIn = z.strictObject({ publicJwk, assertion }).openapi("PasskeySignIn");
export type PasskeySignIn = z.output<typeof passkeySignIn>;
