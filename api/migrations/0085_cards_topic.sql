-- People who are notified of all that their role can be notified of get the new topic `cards` too. Who chose less keeps that choice.
-- Suppliers are left out, because no notice of this topic concerns them.
UPDATE "notification_subscriptions" SET "topics" = array_append("topics", 'cards')
WHERE NOT 'cards' = ANY("topics")
  AND "role" <> 'supplier'
  AND "topics" @> ARRAY['claims', 'verification', 'conversions', 'pool', 'imports']
  AND ("role" <> 'implementer' OR "topics" @> ARRAY['deadlines'])
  AND ("role" NOT IN ('admin', 'regulator') OR "topics" @> ARRAY['payouts'])
  AND ("role" NOT IN ('admin', 'regulator', 'evaluator') OR "topics" @> ARRAY['proposals']);
