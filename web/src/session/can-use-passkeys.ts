/** Whether this browser can use passkeys at this address: they are for names, and an address such as 127.0.0.1 is none. */
export function canUsePasskeys({ hostname } = window.location): boolean {
  return "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(hostname);
}
