import type { Clock } from "../clock.ts";
import type { ServiceIdentity } from "../identity/index.ts";
import { Access } from "./access.ts";
import type { Authority } from "./authority.ts";
import { mintToken } from "./mint.ts";

export type ServiceAccessDeps = {
  identity: Pick<ServiceIdentity, "did" | "keyDid" | "principal">;
  authority: Pick<Authority, "verifyBearer">;
  clock: Clock;
};

const tokenSeconds = 24 * 3600;

/**
 * Access to one folder in the service's own namespace, that of its did:key. The service acts there like any other caller: with a
 * token that it signs for itself and that the authority verifies.
 */
export class ServiceAccess {
  readonly #deps: ServiceAccessDeps;
  readonly #folder: string;
  #current: { access: Promise<Access>; renewAt: number } | undefined;

  constructor(deps: ServiceAccessDeps, folder: string) {
    this.#deps = deps;
    this.#folder = folder;
  }

  /** DID of the namespace. */
  get owner(): string {
    return this.#deps.identity.keyDid;
  }

  /** Access to read, write and delete in the folder, valid for at least 12 hours. */
  access(): Promise<Access> {
    const now = this.#deps.clock.now().getTime();
    if (this.#current === undefined || this.#current.renewAt <= now) {
      const access = this.#open();
      const entry = { access, renewAt: now + (tokenSeconds / 2) * 1000 };
      this.#current = entry;
      access.catch(() => {
        if (this.#current === entry) this.#current = undefined;
      });
    }
    return this.#current.access;
  }

  /** Sign a token that lets `audience` read what is below `path`. The service itself as audience makes it a bearer token. */
  async mintReader(input: { audience: string; path: string; seconds: number }): Promise<{
    token: string;
    expiresAt: Date;
  }> {
    const { audience, path, seconds } = input;
    const expiration = this.#expiration(seconds);
    const issuer = this.#deps.identity.principal();
    const token = await mintToken({ issuer, audience, abilities: ["fs/read"], path, expiration });
    return { token, expiresAt: new Date(expiration * 1000) };
  }

  async #open(): Promise<Access> {
    const { identity, authority } = this.#deps;
    const token = await mintToken({
      issuer: identity.principal(),
      audience: identity.did,
      abilities: ["fs/write", "fs/delete"],
      path: this.#folder,
      expiration: this.#expiration(tokenSeconds),
    });
    return new Access(await authority.verifyBearer(`Bearer ${token}`));
  }

  /** Unix seconds. */
  #expiration(seconds: number): number {
    return Math.floor(this.#deps.clock.now().getTime() / 1000) + seconds;
  }
}
