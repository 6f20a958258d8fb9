CREATE TABLE "campaign_draw_secrets" (
	"campaign" integer NOT NULL,
	"round" integer NOT NULL,
	"sealed_secret" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "campaign_draw_secrets_campaign_round_pk" PRIMARY KEY("campaign","round")
);
