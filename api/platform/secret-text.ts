/**
 * What a secret is for: an API key, an invitation, the link of an ODK collector, the URL of a phone gateway or of a payout partner,
 * the password of a Kobo hook, or the session of a wallet.
 */
export const secretKinds = ["hb", "hg", "hk", "hi", "ho", "hs"] as const;
export type SecretKind = (typeof secretKinds)[number];

const kinds = secretKinds.join("|");
/** A regular expression, as text, of how a secret begins. */
export const secretStart = `(?:${kinds})_`;
/** The same of a whole secret: its kind, its id, and 32 bytes as base64url. */
export const secretText = `(${kinds})_([a-z0-9]{12})_([A-Za-z0-9_-]{43})`;
