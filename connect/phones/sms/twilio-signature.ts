/**
 * Check Twilio's signature of a call.
 * @param signed the URL that Twilio called, and the fields of the body, if there is one
 */
export async function isSignedByTwilio(
  authToken: string,
  signature: string,
  signed: { url: string; fields: URLSearchParams | undefined },
): Promise<boolean> {
  // Only this module: the whole package has a class for every product of Twilio, and takes ten times as long to load.
  const { validateRequest } = await import("twilio/lib/webhooks/webhooks.js");
  const names = new Set(signed.fields?.keys());
  const values = [...names].map((name) => {
    const all = signed.fields?.getAll(name) ?? [];
    return [name, all.length === 1 ? all[0] : all] as const;
  });
  return validateRequest(authToken, signature, signed.url, Object.fromEntries(values));
}
