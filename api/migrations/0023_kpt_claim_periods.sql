DROP INDEX "kpt_claims_periods";--> statement-breakpoint
CREATE INDEX "kpt_claims_periods" ON "kpt_claims" USING btree ("status","campaign","group","start_day");