ALTER TABLE "campaign_verification_acts" ADD COLUMN "block" bigint;--> statement-breakpoint
CREATE INDEX "campaign_verification_acts_block" ON "campaign_verification_acts" USING btree ("block");