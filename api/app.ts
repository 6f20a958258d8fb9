import { type App, createBaseApp, mount } from "./base-app.ts";
import { campaignResultRoutes } from "./campaigns/result/routes.ts";
import { campaignRoutes } from "./campaigns/routes.ts";
import { claimRoutes } from "./claims/routes.ts";
import { credentialRoutes } from "./credentials/routes.ts";
import type { Deps } from "./deps.ts";
import { devRoutes } from "./dev/routes.ts";
import { emissionRoutes } from "./emissions/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { upkeepRoutes } from "./files/fsck/routes.ts";
import { mountFiles } from "./files/http/mount.ts";
import { governanceRoutes } from "./governance/routes.ts";
import { identityRoutes } from "./identity/routes.ts";
import { proofRoutes } from "./itmo/proof/routes.ts";
import { itmoRoutes } from "./itmo/routes.ts";
import { keyRoutes } from "./keys/routes.ts";
import { evidenceRoutes } from "./kpt/evidence-routes.ts";
import { kptRoutes } from "./kpt/routes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { poolRoutes } from "./pool/routes.ts";
import { mountOracle } from "./oracle/http/mount.ts";
import { registryRoutes } from "./registry/routes.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { voucherListRoutes } from "./vouchers/list-routes.ts";
import { redemptionRoutes } from "./vouchers/redemption-routes.ts";
import { voucherRoutes } from "./vouchers/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The whole HTTP surface over the given dependencies. Pure: it opens nothing and reads no environment. */
export function createApp(deps: Deps): App {
  const app = createBaseApp(deps);
  // One line per feature. Routes come from createRouter(); all lie below /v1 but those of the file store.
  mount(app, keyRoutes());
  mount(app, operationRoutes());
  for (const routes of registryRoutes()) mount(app, routes);
  mount(app, voucherListRoutes());
  mount(app, voucherRoutes());
  mount(app, redemptionRoutes());
  mount(app, transactionRoutes());
  mount(app, claimRoutes());
  mount(app, kptRoutes());
  mount(app, campaignRoutes());
  mount(app, campaignResultRoutes());
  mount(app, poolRoutes());
  for (const routes of itmoRoutes()) mount(app, routes);
  mount(app, credentialRoutes());
  mount(app, evidenceRoutes());
  mount(app, emissionRoutes());
  mount(app, governanceRoutes());
  mount(app, eventRoutes());
  mount(app, webhookRoutes());
  mount(app, proofRoutes());
  mount(app, devRoutes());
  mount(app, upkeepRoutes());
  app.route("/", identityRoutes(deps.files.identity));
  mountFiles(app);
  mountOracle(app, deps.oracle.pluginRoutes);
  return app;
}
