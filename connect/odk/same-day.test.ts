import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { openApp } from "../../api/app.ts";
import { createLog } from "../../api/platform/log.ts";
import { drawnCampaign, implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { type Phone, usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../../test/support/registry.ts";

let postgres: TestPostgres;
let registry: RegistryTest;
let other: Awaited<ReturnType<typeof openApp>>;
let implementer: Caller;
/** One link, at each of two servers on one database. */
let phones: [Phone, Phone];
let households: string[];
let formId: string;
before(async () => {
  postgres = await startPostgres();
  const env = { DATABASE_URL: await postgres.createDatabase(), ADMIN_API_KEY: testAdminKey };
  registry = await openRegistryTest(env);
  const config = registry.world.config({ ...env, REQUESTS_PER_MINUTE: "100000" });
  other = await openApp(config, createLog(config));
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  const campaign = await drawnCampaign(implementer);
  households = [...campaign.groups.reference.sample, ...campaign.groups.intervention.sample];
  const { campaignId } = campaign;
  formId = `kpt-visit.${campaignId}`;
  const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["kpt"], campaignId };
  const { url } = requireStatus(await registry.admin("POST", "/odk/collectors", about), 201).body as { url: string };
  phones = [usePhone(registry.app, url), usePhone(other.app, url)];
});
after(async () => {
  await other?.close();
  await registry?.close();
  await postgres?.stop();
});

async function visit(household: string, day: number) {
  const { version } = await phones[0].form(formId);
  const instanceId = `uuid:${randomUUID()}`;
  const xml = `<data id="${formId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>7</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  return { instanceId, xml };
}

test("lets one of two visits have a day of a household's test, when two servers read them at the same time", async () => {
  const { findByInstance } = recordsOf(implementer);
  const household = households[0] ?? "";
  // Both visits look for others of their day before either is written.
  await registry.deps.db.execute(sql`create function wait_long() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.5); return new; end $$`);
  await registry.deps.db.execute(sql`create trigger slow before update on odk_submissions for each row
    when (new.status = 'waiting') execute function wait_long()`);
  for (const day of [0, 1, 2, 3]) {
    const visits = [await visit(household, day), await visit(household, day)] as const;
    const answers = await Promise.all(visits.map(({ xml }, i) => (phones[i] as Phone).send(xml)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    const rows = await Promise.all(visits.map(({ instanceId }) => findByInstance(instanceId)));
    const written = day === 3 ? "accepted" : "waiting";
    assert.deepEqual(rows.map(({ status }) => status).sort(), [written, "refused"].sort(), `day ${day}`);
    const refused = rows.find(({ status }) => status === "refused");
    assert.deepEqual([refused?.details.map(({ rule }) => rule), refused?.day], [["visit-days"], null]);
  }
});
