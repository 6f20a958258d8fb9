import type { HearthClient } from "../../wire/src/index.ts";
import type { FormKind } from "./forms/question.ts";

/** Where records come from, such as a person's link for ODK Collect: for whom they are written, and about what. */
export type RecordSource = {
  id: string;
  name: string;
  /** DID of the person, as records name who weighed or surveyed. */
  collectorDid: string;
  implementerDid: string;
  forms: FormKind[];
  /** Campaign of KPT visits and usage surveys. */
  campaignId: string | null;
  /** Monitoring plan of device installations. */
  planId: string | null;
  /** Supplier of deliveries. */
  supplierDid: string | null;
};

/** A source that has shown who it is, and a client of the API with its key. */
export type SignedIn = { collector: RecordSource; client: HearthClient };
