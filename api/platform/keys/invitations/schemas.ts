import { z } from "@hono/zod-openapi";
import { page } from "../../http/index.ts";
import { integer } from "../../values/numbers.ts";
import { identifier } from "../../values/text.ts";
import { apiKey, newApiKey, publicJwk } from "../schemas.ts";

/** Longest life of an invitation, in minutes: 7 days. */
export const longestLife = 7 * 24 * 60;
const validMinutes = integer(1, longestLife)
  .default(24 * 60)
  .openapi({ default: 24 * 60, description: "How long the invitation can be accepted, in minutes; at most 7 days." });

export const newInvitation = z
  .strictObject({
    key: newApiKey.omit({ publicJwk: true }).openapi("InvitedKey", {
      description: "The API key that the invited person gets. It is bound to a key pair of that person's device.",
    }),
    validMinutes,
  })
  .openapi("NewInvitation");
export type NewInvitation = z.output<typeof newInvitation>;

export const deviceInvitation = z.strictObject({ validMinutes }).openapi("DeviceInvitation");
export type DeviceInvitation = z.output<typeof deviceInvitation>;

export const invitation = z
  .object({
    id: z.string().openapi({ example: "k3j9x0a7b2c1" }),
    key: apiKey.pick({
      name: true,
      role: true,
      supplierDid: true,
      implementerDid: true,
      scopes: true,
      dids: true,
      ipRanges: true,
      requestsPerMinute: true,
      expiresAt: true,
    }),
    state: z.enum(["open", "accepted", "revoked", "expired"]),
    createdBy: z.string().openapi({ description: "Id of the API key that made the invitation." }),
    createdAt: z.string(),
    expiresAt: z.string(),
    acceptedAt: z.string().nullable(),
    keyId: z.string().nullable().openapi({ description: "Id of the API key that was made when it was accepted." }),
    revokedAt: z.string().nullable(),
  })
  .openapi("Invitation");
export type Invitation = z.output<typeof invitation>;

export const createdInvitation = invitation
  .extend({
    token: z.string().openapi({ description: "The secret of the invitation. It is shown only once." }),
    url: z.string().openapi({ description: "The console's page that accepts the invitation; it contains the token." }),
  })
  .openapi("CreatedInvitation");
export type CreatedInvitation = z.output<typeof createdInvitation>;

const token = z.string().max(128);
export const shownInvitation = z.strictObject({ token }).openapi("ShownInvitation");
export const acceptance = z.strictObject({ token, publicJwk }).openapi("InvitationAcceptance");
export type Acceptance = z.output<typeof acceptance>;

export const invitationOffer = z
  .object({
    name: z.string(),
    role: apiKey.shape.role,
    supplierDid: z.string().nullable(),
    implementerDid: z.string().nullable(),
    expiresAt: z.string().openapi({ description: "Until when the invitation can be accepted." }),
  })
  .openapi("InvitationOffer");
export type InvitationOffer = z.output<typeof invitationOffer>;

export const invitationPage = page(invitation);
export const invitationParams = z.strictObject({ id: identifier(64) });
