import type { Hex } from "viem";
import type { StatusLists } from "./status-lists.ts";

/** What the service itself attests; every one of them can be revoked. */
export type IssuedType = "KPTCredential" | "EmissionReductionCredential" | "ItmoTransferCredential";

export type IssueRequest = {
  type: IssuedType;
  /** The credential's own URI, such as `urn:hearth:kpt:KPT-…`. */
  id: string;
  /** Claims about the subject; `id`, when there, is its DID. Numbers are plain JSON, exact ones JsonNumber. */
  subject: Record<string, unknown>;
  /** URIs of what it rests on, such as `ipfs://<cid>`. */
  evidence?: readonly string[];
  /** Documents that it is to be read with, each pinned by its digest (`sha256-` and base64), as VCDM 2.0 names them. */
  relatedResources?: readonly { id: string; digestSRI: string }[];
  issuedAt: Date;
  expiresAt?: Date;
  /** What it is about: the same again takes the same status entry, whatever else differs, and is born revoked once that is. */
  statusOf: string;
};

export type IssuedCredential = {
  /** Compact VC-JWT (VCDM 1.1), signed by the service's did:web. The same request gives the same token. */
  jwt: string;
  /** SHA-256 of the compact token, as on chain. */
  hash: Hex;
  statusList: number;
  statusIndex: number;
};

/** What the service attests of a transaction that is final: it is never revoked. */
export type ReceiptType = "RedemptionReceipt" | "ClaimReceipt" | "PaymentReceipt" | "SwapReceipt";

export type AttestRequest = Pick<IssueRequest, "id" | "subject" | "issuedAt"> & { type: ReceiptType };

/** The service as issuer of verifiable credentials. */
export type Credentials = {
  /** DID of the issuer: did:web of PUBLIC_URL. */
  issuer: string;
  /** The lists that tell which credentials are revoked, as they are served. */
  statusLists: Pick<StatusLists, "read" | "readByUrl">;
  issue(request: IssueRequest): Promise<IssuedCredential>;
  /** Sign a statement that stands for ever, without a status: compact VC-JWT. Nothing is kept. The same request gives the same token. */
  attest(request: AttestRequest): Promise<string>;
  /**
   * Set the status bit of an issued credential, for good; again changes nothing.
   * @param reason a public word of at most 64 bytes, kept beside the entry
   * @throws AppError NOT_FOUND when no credential of that hash was issued here
   */
  revoke(hash: Hex, reason: string): Promise<void>;
};
