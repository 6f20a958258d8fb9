import type { HearthClient } from "../../../wire/src/index.ts";
import type { KoboDeps } from "../deps.ts";
import { type KoboApi, openKoboApi } from "../kobo-api.ts";
import type { ConnectionRow } from "../tables.ts";

/** A client of the API with the connection's key. */
export function clientOf({ host }: Pick<KoboDeps, "host">, { sealedKey }: ConnectionRow): HearthClient {
  return host.client(host.secretBox.open(sealedKey));
}

/** Kobo's API with the connection's token. */
export function koboOf({ host }: Pick<KoboDeps, "host">, { serverUrl, assetUid, sealedToken }: ConnectionRow): KoboApi {
  return openKoboApi(host, { serverUrl, assetUid, token: host.secretBox.open(sealedToken) });
}

/** The address that Kobo's hook calls. */
export function endpointOf({ host }: Pick<KoboDeps, "host">, id: string): string {
  return `${host.publicUrl}/kobo/hooks/${id}`;
}
