import { randomUUID } from "node:crypto";
import type { CreatedCollector } from "../../connect/odk/collectors/schemas.ts";
import type { Submission } from "../../connect/odk/submissions/schemas.ts";
import { usePhone } from "./odk-phone.ts";
import { type RegistryTest, requireStatus } from "./registry.ts";

const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("photo of the mill")]);

export type CollectedHousehold = {
  collector: CreatedCollector;
  did: string;
  region: string;
  /** The record that was refused, because its household was registered by the one before. */
  refused: string;
};

/** For tests: a collector sends a household twice, as two records with a photo each. The second record is refused. */
export async function collectHousehold(
  { app, admin }: Pick<RegistryTest, "app" | "admin">,
  { implementerDid, region = "Village of the mill" }: { implementerDid: string; region?: string },
): Promise<CollectedHousehold> {
  const about = { name: "Maria of the mill", collectorDid: "did:key:z6MkOfTheMill", implementerDid };
  const made = await admin("POST", "/odk/collectors", { ...about, forms: ["household"] });
  const collector = requireStatus(made, 201).body as CreatedCollector;
  const phone = usePhone(app, collector.url);
  const { version } = await phone.form("household-registration");
  const did = `did:ixo:household/${randomUUID()}`;
  for (let i = 0; i < 2; i += 1) {
    const meta = `<meta><instanceID>uuid:${randomUUID()}</instanceID></meta>`;
    const place = "<place>-15.416789 28.283389 1280 4</place>";
    const xml = `<data id="household-registration" version="${version}"><did>${did}</did><region>${region}</region>${place}<photo>mill.jpg</photo>${meta}</data>`;
    const sent = await phone.send(xml, [{ name: "mill.jpg", type: "image/jpeg", bytes: jpeg }]);
    if (sent.status !== 201) throw new Error(`The record was not stored: ${await sent.text()}`);
  }
  const listed = await admin("GET", `/odk/submissions?status=refused&collectorId=${collector.id}`);
  const [{ id: refused } = { id: "" }] = (requireStatus(listed, 200).body as { items: Submission[] }).items;
  return { collector, did, region, refused };
}
