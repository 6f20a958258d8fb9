ALTER TABLE "kpt_evidence" ALTER COLUMN "sha256" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "kpt_evidence" ADD COLUMN "link_hash" text;--> statement-breakpoint
CREATE INDEX "kpt_evidence_link_hash" ON "kpt_evidence" USING btree ("link_hash");