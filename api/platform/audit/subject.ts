/** Fields that name what a request changes. Households' fields are not among them: an audit is kept for ever. */
const naming =
  /^(did|id|name|account|serial|role|kind|supplierDid|implementerDid|(plan|product|voucher|redemption|claim|campaign|certificate|emissionCertificate|parameter|proposal|operation)Id)$/;
const longest = 200;

/**
 * Describe what a request changes: the ids in its path, else those in its body (also one level below). Empty for households
 * and their cards, whose DIDs, accounts and numbers are personal data.
 * @param body undefined when it was absent or broke its schema
 */
export function subjectOf(route: string, params: Record<string, string>, body: unknown): string {
  if (/\/(households|cards)(\/|$)/.test(route)) return "";
  const named = Object.values(params);
  const found = named.length > 0 ? named : namesIn(body);
  return [...new Set(found)].join(", ").slice(0, longest);
}

function namesIn(body: unknown, depth = 0): string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([field, value]) => {
    if (typeof value === "string") return naming.test(field) ? [value] : [];
    return depth === 0 ? namesIn(value, 1) : [];
  });
}
