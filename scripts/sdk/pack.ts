import { fileURLToPath } from "node:url";
import config from "../../sdk/tsdown.config.ts";
import { type PackedPackage, packPackage, rootModules } from "../pack-package.ts";

/** The folder of node_modules with the React and zod that are installed next to the package. */
export const peers = {
  "react 19, zod 4": rootModules,
  "react 18, zod 3": fileURLToPath(new URL("../../test/react-18/node_modules", import.meta.url)),
};
const peerNames = ["react", "react-dom", "zod", "@types/react", "@types/react-dom"];

export type PackedSdk = Omit<PackedPackage, "install"> & {
  /** Create a project with the package and these peers installed. @returns its folder */
  install: (pair: keyof typeof peers) => Promise<string>;
};

/** Build the SDK and pack it as `npm publish` would, in a temporary folder that `close` removes. */
export async function packSdk(): Promise<PackedSdk> {
  const packed = await packPackage("sdk", config);
  const install = (pair: keyof typeof peers) =>
    packed.install(Object.fromEntries(peerNames.map((name) => [name, peers[pair]])));
  return { ...packed, install };
}
