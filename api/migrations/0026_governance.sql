CREATE TABLE "governance_approvals" (
	"proposal_id" text NOT NULL,
	"signer" text NOT NULL,
	"nonce" bigint NOT NULL,
	"safe_tx_hash" text NOT NULL,
	"signature" text NOT NULL,
	"statement_signature" text NOT NULL,
	"statement" jsonb NOT NULL,
	"signed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "governance_approvals_proposal_id_signer_nonce_pk" PRIMARY KEY("proposal_id","signer","nonce")
);
--> statement-breakpoint
CREATE TABLE "governance_proposals" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"action" jsonb NOT NULL,
	"calls" jsonb NOT NULL,
	"salt" text NOT NULL,
	"delay" bigint NOT NULL,
	"proposer" text NOT NULL,
	"nonce" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"withdrawn_by" text,
	"withdrawal" text,
	"withdrawn_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "governance_approvals" ADD CONSTRAINT "governance_approvals_proposal_id_governance_proposals_id_fk" FOREIGN KEY ("proposal_id") REFERENCES "public"."governance_proposals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "governance_approvals_hash" ON "governance_approvals" USING btree ("safe_tx_hash");--> statement-breakpoint
CREATE INDEX "governance_proposals_created" ON "governance_proposals" USING btree ("created_at");