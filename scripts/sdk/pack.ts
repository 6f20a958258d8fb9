import { fileURLToPath } from "node:url";
import config from "../../sdk/tsdown.config.ts";
import { type PackedPackage, packPackage, rootModules } from "../pack-package.ts";

/** Which React and zod stand beside the package: the folder of node_modules that holds them. */
export const peers = {
  "react 19, zod 4": rootModules,
  "react 18, zod 3": fileURLToPath(new URL("../../test/react-18/node_modules", import.meta.url)),
};
const peerNames = ["react", "react-dom", "zod", "@types/react", "@types/react-dom"];

export type PackedSdk = Omit<PackedPackage, "install"> & {
  /** A new project with the package installed beside these peers; its folder. */
  install: (pair: keyof typeof peers) => Promise<string>;
};

/** Build the SDK and pack it as `npm publish` would, in a folder of its own that `close` removes. */
export async function packSdk(): Promise<PackedSdk> {
  const packed = await packPackage("sdk", config);
  const install = (pair: keyof typeof peers) =>
    packed.install(Object.fromEntries(peerNames.map((name) => [name, peers[pair]])));
  return { ...packed, install };
}
