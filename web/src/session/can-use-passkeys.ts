/** Whether this browser can use passkeys at this address: they are for names, and an address such as 127.0.0.1 is none. */
export function canUsePasskeys({ hostname } = window.location): boolean {
  return "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(hostname);
}

/** Name in the vault of what lets the first page offer a passkey: the person has just joined here, and has answered no offer. */
export const passkeyOffer = "offer-passkey";
