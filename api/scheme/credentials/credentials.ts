import type { Hex } from "viem";
import type { StatusLists } from "./status-lists.ts";

/** Types of credentials that the service issues and can revoke. */
export type IssuedType = "KPTCredential" | "EmissionReductionCredential" | "ItmoTransferCredential";

export type IssueRequest = {
  type: IssuedType;
  /** The credential's URI, such as `urn:hearth:kpt:KPT-…`. */
  id: string;
  /** Claims about the subject; `id`, if present, is its DID. Exact numbers are JsonNumber, others plain JSON. */
  subject: Record<string, unknown>;
  /** URIs of its evidence, such as `ipfs://<cid>`. */
  evidence?: readonly string[];
  /** Documents needed to interpret it, each with its digest (`sha256-` and base64), as in VCDM 2.0. */
  relatedResources?: readonly { id: string; digestSRI: string }[];
  issuedAt: Date;
  expiresAt?: Date;
  /**
   * Record that the credential is about. Credentials with the same value share a status entry; once that is revoked,
   * further ones are revoked when issued.
   */
  statusOf: string;
};

export type IssuedCredential = {
  /** Compact VC-JWT (VCDM 1.1), signed by the service's did:web. The same request gives the same token. */
  jwt: string;
  /** SHA-256 of the compact token, as stored on chain. */
  hash: Hex;
  statusList: number;
  statusIndex: number;
};

/** Types of credentials about final transactions; they are never revoked. */
export type ReceiptType = "RedemptionReceipt" | "ClaimReceipt" | "PaymentReceipt" | "SwapReceipt";
/** Type of the permanent statement about the files of a campaign's data room. */
export type DataRoomType = "DataRoomReceipt";

/** Type of the permanent statement about a closed campaign's result, for other registries. */
export type MonitoringReportType = "MonitoringReportCredential";

export type AttestRequest = Pick<IssueRequest, "id" | "subject" | "issuedAt"> & {
  type: ReceiptType | DataRoomType | MonitoringReportType;
};

/** The service as issuer of verifiable credentials. */
export type Credentials = {
  /** DID of the issuer: did:web of PUBLIC_URL. */
  issuer: string;
  /** The lists of revoked credentials, as served. */
  statusLists: Pick<StatusLists, "read" | "readByUrl">;
  issue(request: IssueRequest): Promise<IssuedCredential>;
  /**
   * Sign a permanent statement without a status: compact VC-JWT. Nothing is stored. The same request gives the same
   * token.
   */
  attest(request: AttestRequest): Promise<string>;
  /**
   * Set the status bit of an issued credential permanently; repeating it changes nothing.
   * @param reason public text of at most 64 bytes, stored with the entry
   * @throws AppError NOT_FOUND when no credential with that hash was issued here
   */
  revoke(hash: Hex, reason: string): Promise<void>;
};
