import assert from "node:assert/strict";
import type { StoredPhoto, Submission, SubmissionDetail } from "../../connect/odk/submissions/schemas.ts";
import { type Answer, type Caller, requireStatus } from "./registry.ts";

type Change = { path: string; answer: string };

/** What a team sees of its records, and how it corrects them. */
export function recordsOf(caller: Caller) {
  return {
    async findByInstance(instanceId: string): Promise<Submission> {
      const { body } = requireStatus(await caller("GET", "/odk/submissions?limit=500"), 200);
      const found = (body as { items: Submission[] }).items.find((each) => each.instanceId === instanceId);
      assert.ok(found, `${instanceId} is listed`);
      return found;
    },
    async read(id: string): Promise<SubmissionDetail> {
      return requireStatus(await caller("GET", `/odk/submissions/${id}`), 200).body as SubmissionDetail;
    },
    correct(id: string, answers: Change[], by: Caller = caller): Promise<Answer> {
      return by("POST", `/odk/submissions/${id}/correction`, { answers });
    },
    storePhoto(id: string, bytes: Uint8Array, by: Caller = caller): Promise<Answer> {
      return by("POST", `/odk/submissions/${id}/correction/files`, bytes, {
        "content-type": "application/octet-stream",
      });
    },
    /** Store photos, and correct the record with them. */
    async correctPhotos(id: string, photos: Record<string, Uint8Array>, answers: Change[] = []): Promise<Answer> {
      const files = [];
      for (const [path, bytes] of Object.entries(photos)) {
        const { sha256 } = requireStatus(await this.storePhoto(id, bytes), 201).body as StoredPhoto;
        files.push({ path, sha256 });
      }
      return caller("POST", `/odk/submissions/${id}/correction`, { answers, files });
    },
  };
}
