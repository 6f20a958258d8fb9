import type { Grant } from "./grant.ts";

/** Turns bearer tokens into grants. */
export interface Authority {
  /**
   * Verify the header `Authorization: Bearer <base64 CAR>`.
   * @throws AppError UNAUTHENTICATED without a token; INVALID_TOKEN, EXPIRED, TOO_EARLY, WRONG_AUDIENCE, ESCALATION, REVOKED,
   * REPLAYED for a bad one; all 401
   */
  verifyBearer(header: string | undefined): Promise<Grant>;
}
