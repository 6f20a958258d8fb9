import { AppError } from "../errors.ts";
import type { Ability, Grant, MultihashKey, Scope } from "./grant.ts";
import { notFound } from "./not-found.ts";
import { isWithin } from "./paths.ts";

/** The properties of a file that decide who sees it. `hidden`: by a dot segment, its own mark or a folder above. */
export type Subject = { path: string; hidden: boolean };

/**
 * One alternative of what may be seen: files within `prefix` (a folder or one file), and of those the hidden ones only within
 * one of `reveal.paths`, or all of them. A list of these is an OR; an empty list shows nothing.
 */
export type VisibleTree = { prefix: string; reveal: { all: boolean; paths: readonly string[] } };
export type Visibility = readonly VisibleTree[];

/** As VisibleTree, for CIDs: restricted to `cids` unless null. Hidden files are visible also by a CID in `reveal.cids`. */
export type VisibleCids = {
  prefix: string;
  reveal: { all: boolean; paths: readonly string[]; cids: ReadonlySet<MultihashKey> };
  cids: ReadonlySet<MultihashKey> | null;
};

/** What the caller's grant lets it do and see. REST, MCP and CID routes all ask this class. */
export class Access {
  readonly grant: Grant;

  constructor(grant: Grant) {
    this.grant = grant;
  }

  /** Check the token again, before a change commits. @throws AppError EXPIRED, REVOKED when it has ended meanwhile */
  confirm(): Promise<void> {
    return this.grant.confirm();
  }

  /** True when some capability that is not bound to CIDs has the ability. */
  allows(ability: Ability): boolean {
    return this.#scopes(ability).length > 0;
  }

  /** True when some capability, bound to CIDs or not, can fetch by CID. */
  get allowsCids(): boolean {
    return this.#cidScopes().length > 0;
  }

  /** @throws AppError FORBIDDEN when no capability has the ability, or only ones bound to CIDs have it */
  requireAbility(ability: Ability): void {
    if (!this.allows(ability)) throw forbidden(this.#bound(ability) ? "cid-scope" : "ability", ability);
  }

  /** @throws AppError FORBIDDEN unless the owner's own token gives the ability over the whole namespace */
  requireOwner(ability: Ability): void {
    this.requireAbility(ability);
    if (!this.grant.root || !this.#scopes(ability).some(({ path }) => path === "/")) {
      throw new AppError("FORBIDDEN", "Only the owner itself, with an unscoped token, may do this.", {
        details: [{ rule: "owner-only", message: "The token must be issued by the owner for all of its namespace." }],
      });
    }
  }

  /** True when the token has the ability for a file at that path, hidden or not. */
  canSee(ability: Ability, subject: Subject): boolean {
    return this.visibility(ability).some((tree) => isVisible(tree, subject));
  }

  /**
   * Require a file on which the caller may use the ability. Pass undefined for a missing file.
   * @throws AppError FORBIDDEN without the ability; else NOT_FOUND, always the same
   */
  requireSee<T extends Subject>(ability: Ability, subject: T | undefined | null): asserts subject is T {
    this.requireAbility(ability);
    if (subject === undefined || subject === null || !this.canSee(ability, subject)) throw notFound();
  }

  /** What lists, trees and searches may show with the ability: a row must match one of these. */
  visibility(ability: Ability): Visibility {
    return this.#scopes(ability).map(({ path, hidden: { all, paths } }) => ({ prefix: path, reveal: { all, paths } }));
  }

  /** @throws AppError FORBIDDEN when nothing can be fetched by CID, or the token's CIDs do not include this one */
  requireCid(cid: MultihashKey): void {
    if (!this.allowsCids) throw forbidden("ability", "fs/read");
    if (this.cidVisibility(cid).length === 0) throw forbidden("cid-scope", "fs/read");
  }

  /** Where a file may be whose bytes a fetch of this CID serves. */
  cidVisibility(cid: MultihashKey): Visibility {
    return this.#cidScopes()
      .filter(({ cids }) => cids === null || cids.has(cid))
      .map(({ path, hidden }) => ({
        prefix: path,
        reveal: { all: hidden.all || hidden.cids.has(cid), paths: hidden.paths },
      }));
  }

  /** True when a fetch of this CID may serve the bytes of that file. */
  canSeeCid(cid: MultihashKey, subject: Subject): boolean {
    return this.cidVisibility(cid).some((tree) => isVisible(tree, subject));
  }

  /** What a list of CIDs may show. @throws AppError FORBIDDEN when nothing can be fetched by CID */
  visibleCids(): readonly VisibleCids[] {
    if (!this.allowsCids) throw forbidden("ability", "fs/read");
    return this.#cidScopes().map(({ path, cids, hidden }) => ({ prefix: path, cids, reveal: hidden }));
  }

  #scopes(ability: Ability): Scope[] {
    return this.grant.scopes.filter((scope) => scope.cids === null && scope.abilities.has(ability));
  }

  #cidScopes(): Scope[] {
    return this.grant.scopes.filter((scope) => scope.abilities.has("fs/read"));
  }

  #bound(ability: Ability): boolean {
    return this.grant.scopes.some((scope) => scope.cids !== null && scope.abilities.has(ability));
  }
}

/** The rule behind every Visibility, for one file. */
export function isVisible({ prefix, reveal }: VisibleTree, { path, hidden }: Subject): boolean {
  if (!isWithin(prefix, path)) return false;
  return !hidden || reveal.all || reveal.paths.some((folder) => isWithin(folder, path));
}

function forbidden(rule: "ability" | "cid-scope", ability: Ability): AppError {
  const message =
    rule === "ability"
      ? `The token does not have the ability ${ability}.`
      : "The token is bound to certain CIDs: it can fetch those by CID and do nothing else.";
  return new AppError("FORBIDDEN", message, { details: [{ rule, message }] });
}
