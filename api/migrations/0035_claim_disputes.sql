CREATE TABLE "claim_disputes" (
	"claim_id" text NOT NULL,
	"raised_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "claim_disputes_claim_id_raised_by_pk" PRIMARY KEY("claim_id","raised_by")
);
